# Registries and interpreters, generated from what lies in src/functions and src/operators.
set(FRAZIL_GENERATED_DIR ${CMAKE_BINARY_DIR}/generated)
set(FRAZIL_GENERATED_SOURCES)
