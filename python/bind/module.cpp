#include "bind.hpp"

NB_MODULE(_frazil, module) {
  module.doc() = "The native part of Frazil.";
  frazil::bind::bind_errors(module);
  frazil::bind::bind_columns(module);
}
