// What Python sees of an Error: Polars' own classes where it has them, two of ours, and the built-in ones.
#include "base/error.hpp"
#include "bind.hpp"

namespace frazil::bind {

namespace {

PyObject* unsupported_error = nullptr;
PyObject* out_of_memory_error = nullptr;

PyObject* new_exception(nb::module_& module, const char* qualified_name, const char* name, PyObject* base) {
  PyObject* exception = PyErr_NewException(qualified_name, base, nullptr);
  if (exception == nullptr) throw nb::python_error();
  module.attr(name) = nb::handle(exception);
  return exception;
}

const char* polars_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::compute: return "ComputeError";
    case ErrorKind::invalid_operation: return "InvalidOperationError";
    case ErrorKind::schema: return "SchemaError";
    case ErrorKind::column_not_found: return "ColumnNotFoundError";
    case ErrorKind::shape: return "ShapeError";
    default: return nullptr;
  }
}

PyObject* python_class(ErrorKind kind) {
  switch (kind) {
    case ErrorKind::unsupported: return unsupported_error;
    case ErrorKind::out_of_memory: return out_of_memory_error;
    case ErrorKind::cancelled: return PyExc_KeyboardInterrupt;
    case ErrorKind::io: return PyExc_OSError;
    default: return PyExc_RuntimeError;
  }
}

void set_python_error(const Error& error) {
  const char* name = polars_class(error.kind());
  if (name == nullptr) {
    PyErr_SetString(python_class(error.kind()), error.what());
    return;
  }
  // Polars is imported when it is needed: importing the module must not load it.
  try {
    nb::object exception = nb::module_::import_("polars.exceptions").attr(name);
    PyErr_SetString(exception.ptr(), error.what());
  } catch (nb::python_error& failure) {
    failure.restore();
  }
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const Error& error) {
    set_python_error(error);
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  unsupported_error = new_exception(module, "frazil.UnsupportedError", "UnsupportedError", PyExc_NotImplementedError);
  out_of_memory_error = new_exception(module, "frazil.OutOfMemoryError", "OutOfMemoryError", PyExc_MemoryError);
  nb::register_exception_translator(translate);
}

}  // namespace frazil::bind
