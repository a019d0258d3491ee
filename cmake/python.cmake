# _frazil: the nanobind module, in split mode (one stable-ABI module for all Pythons from 3.11).
execute_process(COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir OUTPUT_STRIP_TRAILING_WHITESPACE OUTPUT_VARIABLE nanobind_ROOT)
find_package(nanobind CONFIG REQUIRED)
file(GLOB _bind CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/python/bind/*.cpp)
nanobind_add_module(_frazil BACKEND_MODULE nanobind_backend ${_bind})
target_link_libraries(_frazil PRIVATE frazil_core)
target_link_options(_frazil PRIVATE -Wl,--no-as-needed)  # auditwheel wants libc among the needed libraries
set_target_properties(_frazil PROPERTIES INSTALL_RPATH "$ORIGIN")
install(TARGETS _frazil LIBRARY DESTINATION frazil COMPONENT python)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/frazil DESTINATION . COMPONENT python PATTERN "__pycache__" EXCLUDE)
# Each operator brings its translation from Polars; in the package they are frazil/polars/nodes/<operator>.py.
file(GLOB _nodes CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/operators/*/polars.py)
foreach(_node ${_nodes})
  cmake_path(GET _node PARENT_PATH _folder)
  cmake_path(GET _folder FILENAME _name)
  install(FILES ${_node} DESTINATION frazil/polars/nodes RENAME ${_name}.py COMPONENT python)
endforeach()
