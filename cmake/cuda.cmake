# libfrazil_cuda: the CUDA backend, opened at run time; nothing links it. CMake 3.25 knows neither C++20 nor the wheels'
# layout for nvcc 13, so the standard is a compile option and nvcc is found here.
if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
  set(CMAKE_CUDA_ARCHITECTURES 90)  # sm_90 and compute_90
endif()
if(NOT DEFINED ENV{CUDACXX} AND NOT DEFINED CMAKE_CUDA_COMPILER)
  find_program(FRAZIL_NVCC nvcc HINTS /usr/local/cuda/bin "${Python_SITELIB}/nvidia/cu13/bin")
  if(NOT FRAZIL_NVCC)
    message(FATAL_ERROR "FRAZIL_CUDA=ON but no nvcc was found: install a CUDA 13 toolkit, or pip install \"cuda-toolkit[nvcc,cccl]==13.0.*\", or set CUDACXX")
  endif()
  set(ENV{CUDACXX} "${FRAZIL_NVCC}")
endif()
if("$ENV{CUDACXX}${CMAKE_CUDA_COMPILER}" MATCHES "(.*/nvidia/cu13)/bin/nvcc")  # the wheels: lib, not lib64
  set(_wheel_cuda "${CMAKE_MATCH_1}")
  set(ENV{LIBRARY_PATH} "${_wheel_cuda}/lib:$ENV{LIBRARY_PATH}")
endif()
enable_language(CUDA)
file(GLOB_RECURSE _cuda_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/cuda/*.cu ${CMAKE_SOURCE_DIR}/src/*/cuda/*.cpp)
add_library(frazil_cuda SHARED ${_cuda_sources})
add_dependencies(frazil_cuda frazil_registry)
target_include_directories(frazil_cuda PRIVATE ${CMAKE_SOURCE_DIR}/src ${FRAZIL_GENERATED_DIR})
target_link_libraries(frazil_cuda PRIVATE frazil_core)
target_compile_options(frazil_cuda PRIVATE
  $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --compress-mode=size --expt-relaxed-constexpr --diag-suppress=186,550>)
set_target_properties(frazil_cuda PROPERTIES CUDA_RUNTIME_LIBRARY Static CUDA_STANDARD_REQUIRED OFF INSTALL_RPATH "$ORIGIN"
  CUDA_VISIBILITY_PRESET hidden)
target_link_options(frazil_cuda PRIVATE -Wl,--exclude-libs,ALL -Wl,--gc-sections)
if(_wheel_cuda)
  target_link_options(frazil_cuda PRIVATE "-L${_wheel_cuda}/lib")
endif()
install(TARGETS frazil_cuda LIBRARY DESTINATION frazil COMPONENT python)
