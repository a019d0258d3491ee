#include "engine/open_device.hpp"

#include <dlfcn.h>

#include <charconv>
#include <filesystem>

#include "base/error.hpp"

namespace frazil::engine {
namespace {

// The folder of this library: in an installed package and in a build tree alike, the device's lies beside it.
std::filesystem::path own_folder() {
  Dl_info info;
  FZ_CHECK(dladdr(reinterpret_cast<void*>(&open_device), &info) != 0);
  return std::filesystem::path(info.dli_fname).parent_path();
}

int index_of(const std::string& name) {
  const std::string prefix = "cuda";
  if (name == prefix) return 0;
  int index = -1;
  if (name.starts_with(prefix + ":")) {
    const char* begin = name.data() + prefix.size() + 1;
    const auto parsed = std::from_chars(begin, name.data() + name.size(), index);
    if (parsed.ptr != name.data() + name.size()) index = -1;
  }
  if (index < 0) {
    fail(ErrorKind::device, "no device \"" + name + "\": choose \"auto\", \"cpu\", \"cuda\" or \"cuda:N\"");
  }
  return index;
}

}  // namespace

std::shared_ptr<primitives::Device> open_device(const std::string& name) {
  const int index = index_of(name);
  const std::filesystem::path path = own_folder() / "libfrazil_cuda.so";
  // Never closed: the driver keeps threads and handlers of its own.
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    fail(ErrorKind::device,
         "this build of Frazil has no CUDA backend (" + std::string(dlerror()) + "); use device=\"cpu\"");
  }
  const auto open = reinterpret_cast<primitives::OpenDevice>(dlsym(library, primitives::kOpenDevice));
  FZ_CHECK(open != nullptr);
  return std::shared_ptr<primitives::Device>(open(index));
}

}  // namespace frazil::engine
