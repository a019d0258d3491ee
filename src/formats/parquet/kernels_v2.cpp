#include <utility>

#include "formats/parquet/kernels.hpp"

#define FZ_KERNELS kernels_v2
#include "formats/parquet/kernels.inl"
