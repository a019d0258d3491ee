#include "base/error.hpp"

#include <utility>

namespace frazil {

Error::Error(ErrorKind kind, std::string message) : kind_(kind), message_(std::move(message)) {}
Error::~Error() = default;

void fail(ErrorKind kind, std::string message) { throw Error(kind, std::move(message)); }

void fail_check(const char* file, int line, const char* condition) {
  throw Error(ErrorKind::internal, std::string("internal error at ") + file + ":" + std::to_string(line) +
                                       ": expected " + condition + "; please report it");
}

}  // namespace frazil
