// What a function says of itself. Plain data, since function files are also read by nvcc and NVRTC.
#pragma once

#include "base/target.hpp"
#include "program/type.hpp"

namespace frazil::plan {

// How a function is written; each shape has one generator per backend.
enum class Shape : uint8 {
  map,        // plain values to a plain value, or a composition of such
  view,       // text that lies in an argument, or a number of 64 bits that tells of text
  string,     // new text: bytes(arguments), then write(arguments, out)
  cells,      // an aggregate as cells that combine by add, min or max
  segmented,  // host text over primitives on segments of rows
  host,       // new text, a number, or truth of what was bound to literals, made with std: on the CPU alone
};

// One value for all rows, or for those of a group.
FZ_HD constexpr bool aggregates(Shape shape) { return shape == Shape::cells || shape == Shape::segmented; }

using TypeSet = uint32;  // bit per program::Type
FZ_HD constexpr TypeSet set_of(program::Type type) { return 1u << static_cast<int>(type); }
constexpr TypeSet kWholes =
    set_of(program::Type::i32) | set_of(program::Type::i64) | set_of(program::Type::u64) | set_of(program::Type::i128);
constexpr TypeSet kSignedWholes = set_of(program::Type::i32) | set_of(program::Type::i64) | set_of(program::Type::i128);
constexpr TypeSet kFloats = set_of(program::Type::f32) | set_of(program::Type::f64);
constexpr TypeSet kViews = set_of(program::Type::view);

struct FunctionInfo {
  const char* name;       // the overload is chosen among functions of one name by what they accept
  const char* polars[3];  // Polars' spellings, see docs/functions.md; unused entries are null
  Shape shape = Shape::map;
  int arguments = 1;
  int parameters = 0;              // map: literals that `apply` takes behind its arguments
  int usual_parameter = 0;         // map: not 0: loops are also compiled for this value of the parameter
  int payload = 0;                 // values that Polars passes after the function's name
  TypeSet kernels = 0;             // map: types that `apply` is compiled for
  bool to_mask = false;            // map, host: apply gives truth
  bool may_fail = false;           // map: apply takes a trailing `bool& bad`
  const char* failure = "";        // what to tell the user then
  bool invalid_operation = false;  // the failure's class is InvalidOperationError, else ComputeError
  bool by_value = false;  // null gives null, and nothing but the value counts: once per value of a dictionary is enough
  bool portable = false;  // segmented: written over primitives alone, so that devices run it too
  bool exact = true;      // CPU and GPU give the same bits
  const char* doc = "";
  const char* example = "";
};

}  // namespace frazil::plan
