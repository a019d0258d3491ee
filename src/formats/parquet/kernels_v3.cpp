#include <utility>

#include "formats/parquet/kernels.hpp"

#ifdef __x86_64__
#include <immintrin.h>
#pragma GCC target("avx2")
#endif

#define FZ_KERNELS kernels_v3
#include "formats/parquet/kernels.inl"
