// Products and sums that say whether they overflowed, for host and device compilers (nvcc has no builtins for them).
#pragma once

#include "base/target.hpp"

namespace frazil {

template <class T>
FZ_HD bool add_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  result = a + b;
  return ((a ^ result) & (b ^ result)) < 0;
#else
  return __builtin_add_overflow(a, b, &result);
#endif
}

template <class T>
FZ_HD bool subtract_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  result = a - b;
  return ((a ^ b) & (a ^ result)) < 0;
#else
  return __builtin_sub_overflow(a, b, &result);
#endif
}

template <class T>
FZ_HD bool multiply_overflows(T a, T b, T& result) {
#ifdef FZ_ON_DEVICE
  result = a * b;
  return a != 0 && (result / a != b || (a == -1 && b < 0 && result < 0));
#else
  return __builtin_mul_overflow(a, b, &result);
#endif
}

}  // namespace frazil
