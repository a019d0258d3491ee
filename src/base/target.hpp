// What differs between the compilers that read shared text: g++, nvcc and NVRTC. The only file that knows __CUDACC__.
// Shared text includes nothing from std, so the integer types are named here.
#pragma once

#if defined(__CUDACC__) || defined(__CUDACC_RTC__)
#define FZ_HD __host__ __device__ __forceinline__
#else
#define FZ_HD inline __attribute__((always_inline))
#endif
#if defined(__CUDA_ARCH__)
#define FZ_ON_DEVICE  // this pass makes code for a GPU
#endif

namespace frazil {

using int8 = signed char;
using int16 = short;
using int32 = int;
using int64 = long;
using uint8 = unsigned char;
using uint16 = unsigned short;
using uint32 = unsigned int;
using uint64 = unsigned long;
using int128 = __int128;
using uint128 = unsigned __int128;

template <class A, class B>
constexpr bool kSame = false;
template <class A>
constexpr bool kSame<A, A> = true;

}  // namespace frazil
