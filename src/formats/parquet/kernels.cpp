#include "formats/parquet/kernels.hpp"

namespace frazil::formats {

extern const Kernels kernels_v2, kernels_v3;

const Kernels& kernels_of(int level) { return level > 0 ? kernels_v3 : kernels_v2; }

const Kernels& kernels() {
#ifdef __x86_64__
  static const int level = __builtin_cpu_supports("avx2") ? 1 : 0;
#else
  static const int level = 0;
#endif
  return kernels_of(level);
}

}  // namespace frazil::formats
