// The one exception type. It ends a query and nothing else. `kind` decides which Python class the user sees.
#pragma once

#include <cstdint>
#include <exception>
#include <string>

#include "base/export.hpp"

namespace frazil {

enum class ErrorKind : uint8_t {
  compute,            // pl.exceptions.ComputeError
  invalid_operation,  // pl.exceptions.InvalidOperationError
  schema,             // pl.exceptions.SchemaError
  column_not_found,   // pl.exceptions.ColumnNotFoundError
  shape,              // pl.exceptions.ShapeError
  io,                 // OSError
  unsupported,        // frazil.UnsupportedError; thrown before a result is given away
  out_of_memory,      // frazil.OutOfMemoryError
  cancelled,          // KeyboardInterrupt
  device,             // RuntimeError: the driver failed
  internal,           // RuntimeError: a fault of ours
};

class FRAZIL_API Error : public std::exception {
 public:
  Error(ErrorKind kind, std::string message);
  ~Error() override;
  const char* what() const noexcept override { return message_.c_str(); }
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
  std::string message_;
};

[[noreturn]] FRAZIL_API void fail(ErrorKind kind, std::string message);
[[noreturn]] FRAZIL_API void fail_check(const char* file, int line, const char* condition);

}  // namespace frazil

// A condition that only a fault of ours can break.
#define FZ_CHECK(condition)                                 \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      ::frazil::fail_check(__FILE__, __LINE__, #condition); \
  } while (0)
