#include "bind.hpp"

NB_MODULE(_frazil, module) {
  module.doc() = "The native part of Frazil.";
  frazil::bind::bind_errors(module);
  frazil::bind::bind_columns(module);
  frazil::bind::bind_plan(module);
  frazil::bind::bind_engine(module);
  frazil::bind::bind_parquet(module);
}
