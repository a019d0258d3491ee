#include "device_functions.hpp"
#include "primitives/cuda/rows.cuh"

namespace frazil::primitives::cuda {
RowKernel row_kernel_1() { return run_rows<1>; }
}  // namespace frazil::primitives::cuda
