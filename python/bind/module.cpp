#include "bind.hpp"

namespace nb = nanobind;

NB_MODULE(_frazil, module) {
  module.doc() = "The native part of Frazil.";
  // Python does not free what globals and caches hold when it exits, which is no fault to report to users.
  nb::set_leak_warnings(false);
  frazil::bind::bind_errors(module);
  frazil::bind::bind_columns(module);
  frazil::bind::bind_plan(module);
  frazil::bind::bind_engine(module);
  frazil::bind::bind_parquet(module);
}
