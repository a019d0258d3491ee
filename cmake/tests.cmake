enable_testing()
find_package(GTest CONFIG REQUIRED)
include(GoogleTest)
file(GLOB_RECURSE _tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/cpp/*.cpp)
# fold.cpp belongs to the CUDA backend, but needs neither CUDA nor a device.
add_executable(frazil_tests ${_tests} ${CMAKE_SOURCE_DIR}/src/primitives/cuda/fold.cpp)
target_include_directories(frazil_tests PRIVATE ${CMAKE_SOURCE_DIR}/tests/cpp)
target_link_libraries(frazil_tests PRIVATE frazil_core GTest::gtest_main)
gtest_discover_tests(frazil_tests DISCOVERY_TIMEOUT 60)
