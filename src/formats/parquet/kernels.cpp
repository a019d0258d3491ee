#include "formats/parquet/kernels.hpp"

namespace frazil::formats {

const Kernels& kernels() {
#ifdef __x86_64__
  static const bool has_avx2 = __builtin_cpu_supports("avx2");
  if (has_avx2) return kernels_v3;
#endif
  return kernels_v2;
}

}  // namespace frazil::formats
