# Registries and interpreters, generated from what lies in src/functions and src/operators.
set(FRAZIL_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${FRAZIL_GENERATED_DIR})
file(GLOB _function_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/functions/*/*.hpp)
file(GLOB _operator_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/operators/*/*.cpp)
# A unit for each family of functions, so that a change of one function compiles little.
set(FRAZIL_ISA_SOURCES ${FRAZIL_GENERATED_DIR}/functions_isa.cpp)
set(FRAZIL_GENERATED_SOURCES ${FRAZIL_GENERATED_DIR}/functions.cpp ${FRAZIL_GENERATED_DIR}/operators.cpp)
list(TRANSFORM _function_files REPLACE ".*/([^/]+)/[^/]+$" "\\1" OUTPUT_VARIABLE _families)
list(REMOVE_DUPLICATES _families)
foreach(_family ${_families})
  list(APPEND FRAZIL_ISA_SOURCES ${FRAZIL_GENERATED_DIR}/${_family}_isa.cpp)
  list(APPEND FRAZIL_GENERATED_SOURCES ${FRAZIL_GENERATED_DIR}/${_family}.cpp)
endforeach()
add_custom_command(OUTPUT ${FRAZIL_GENERATED_DIR}/registry.stamp
  BYPRODUCTS ${FRAZIL_GENERATED_SOURCES} ${FRAZIL_ISA_SOURCES}
    ${FRAZIL_GENERATED_DIR}/device_functions.inc ${FRAZIL_GENERATED_DIR}/device_functions.hpp
  COMMAND ${Python_EXECUTABLE} ${CMAKE_SOURCE_DIR}/cmake/generate_registry.py ${CMAKE_SOURCE_DIR}/src ${FRAZIL_GENERATED_DIR}
  COMMAND ${CMAKE_COMMAND} -E touch ${FRAZIL_GENERATED_DIR}/registry.stamp
  DEPENDS cmake/generate_registry.py ${_function_files} ${_operator_files} VERBATIM)
add_custom_target(frazil_registry DEPENDS ${FRAZIL_GENERATED_DIR}/registry.stamp)
