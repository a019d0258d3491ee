// Marks what leaves the core's shared library; all else is hidden.
#pragma once
#define FRAZIL_API __attribute__((visibility("default")))
