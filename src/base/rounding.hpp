// Numbers rounded to whole ones, for host and device compilers.
#pragma once

#include "base/checked.hpp"
#include "base/target.hpp"

namespace frazil {

enum class Rounding : uint8 { down, up, to_zero, half_to_even, half_from_zero };

FZ_HD double rounded(double value, Rounding how) {
#ifdef FZ_ON_DEVICE
  switch (how) {
    case Rounding::down: return ::floor(value);
    case Rounding::up: return ::ceil(value);
    case Rounding::to_zero: return ::trunc(value);
    case Rounding::half_to_even: return ::rint(value);
    default: return ::round(value);
  }
#else
  switch (how) {
    case Rounding::down: return __builtin_floor(value);
    case Rounding::up: return __builtin_ceil(value);
    case Rounding::to_zero: return __builtin_trunc(value);
    case Rounding::half_to_even: return __builtin_rint(value);
    default: return __builtin_round(value);
  }
#endif
}

// The multiple of a positive unit next to a whole number; it wraps beyond the type.
template <class T>
FZ_HD T rounded_to(T value, T unit, Rounding how) {
  T multiples = value / unit, rest = value % unit;
  if (rest < 0) {
    rest += unit;
    --multiples;
  }
  bool above = false;
  switch (how) {
    case Rounding::down: break;
    case Rounding::up: above = rest > 0; break;
    case Rounding::to_zero: above = rest > 0 && value < 0; break;
    case Rounding::half_to_even: above = rest > unit - rest || (rest == unit - rest && (multiples & 1)); break;
    case Rounding::half_from_zero: above = rest > unit - rest || (rest == unit - rest && value > 0); break;
  }
  using U = typename Unsigned<T>::U;
  return static_cast<T>(static_cast<U>(multiples + above) * static_cast<U>(unit));
}

FZ_HD float square_root(float value) {
#ifdef FZ_ON_DEVICE
  return ::sqrtf(value);
#else
  return __builtin_sqrtf(value);
#endif
}
FZ_HD double square_root(double value) {
#ifdef FZ_ON_DEVICE
  return ::sqrt(value);
#else
  return __builtin_sqrt(value);
#endif
}

}  // namespace frazil
