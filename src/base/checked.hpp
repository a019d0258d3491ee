// Products and sums that say whether they overflowed, for host and device compilers (nvcc has no builtins for them).
#pragma once

#include "base/target.hpp"

namespace frazil {

// Two's complement without the undefined behaviour of signed overflow.
template <class T>
struct Unsigned {
  using U = T;
};
// clang-format off
template <> struct Unsigned<int32> { using U = uint32; };
template <> struct Unsigned<int64> { using U = uint64; };
template <> struct Unsigned<int128> { using U = uint128; };
// clang-format on

template <class T>
FZ_HD bool add_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  using U = typename Unsigned<T>::U;
  result = static_cast<T>(static_cast<U>(a) + static_cast<U>(b));
  return ((a ^ result) & (b ^ result)) < 0;
#else
  return __builtin_add_overflow(a, b, &result);
#endif
}

template <class T>
FZ_HD bool subtract_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  using U = typename Unsigned<T>::U;
  result = static_cast<T>(static_cast<U>(a) - static_cast<U>(b));
  return ((a ^ b) & (a ^ result)) < 0;
#else
  return __builtin_sub_overflow(a, b, &result);
#endif
}

template <class T>
FZ_HD bool multiply_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  using U = typename Unsigned<T>::U;
  result = static_cast<T>(static_cast<U>(a) * static_cast<U>(b));
  // The least number is its own negative, and dividing it by -1 would overflow again.
  if (a == -1) return b < 0 && result < 0;
  return a != 0 && result / a != b;
#else
  return __builtin_mul_overflow(a, b, &result);
#endif
}

}  // namespace frazil
