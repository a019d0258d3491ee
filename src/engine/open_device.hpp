// Devices live in a library of their own, beside this one, which is opened when the first one is asked for.
#pragma once

#include <memory>
#include <string>

#include "primitives/device.hpp"

namespace frazil::engine {

// "cuda" or "cuda:N". Throws Error(device) with what to do.
std::shared_ptr<primitives::Device> open_device(const std::string& name);

}  // namespace frazil::engine
