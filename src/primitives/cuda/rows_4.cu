#include "device_functions.hpp"
#include "primitives/cuda/rows.cuh"

namespace frazil::primitives::cuda {
RowKernel row_kernel_4() { return run_rows<4>; }
}  // namespace frazil::primitives::cuda
