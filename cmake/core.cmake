# libfrazil_core: all of src/ but the CUDA folders. Sources are found by glob; nobody edits a list.
file(GLOB_RECURSE FRAZIL_CORE_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.cpp)
list(FILTER FRAZIL_CORE_SOURCES EXCLUDE REGEX "/(cuda|isa)/")
add_library(frazil_core SHARED ${FRAZIL_CORE_SOURCES} ${FRAZIL_GENERATED_SOURCES})
add_dependencies(frazil_core frazil_registry)

# Loops over tiles, once per instruction set and each in a namespace of its own; the newest that the CPU has is chosen
# when an engine starts.
foreach(_level 2 3 4)
  add_library(frazil_isa_v${_level} OBJECT ${CMAKE_SOURCE_DIR}/src/primitives/cpu/isa/verbs.cpp ${FRAZIL_ISA_SOURCES})
  add_dependencies(frazil_isa_v${_level} frazil_registry)
  target_include_directories(frazil_isa_v${_level} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(frazil_isa_v${_level} PRIVATE FZ_ISA=v${_level})
  target_compile_options(frazil_isa_v${_level} PRIVATE -march=x86-64-v${_level} -O3)
  target_sources(frazil_core PRIVATE $<TARGET_OBJECTS:frazil_isa_v${_level}>)
endforeach()
target_include_directories(frazil_core PUBLIC ${CMAKE_SOURCE_DIR}/src PRIVATE ${FRAZIL_GENERATED_DIR})
target_precompile_headers(frazil_core PRIVATE <algorithm> <atomic> <cstdint> <cstring> <functional> <memory> <optional>
  <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
target_link_libraries(frazil_core PRIVATE dep::zstd dep::re2 Threads::Threads ${CMAKE_DL_LIBS})
# DT_RPATH, since DT_RUNPATH is not inherited by the libraries that ours need.
target_link_options(frazil_core PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--disable-new-dtags)
set(_rpath "$ORIGIN")
if(EXISTS "${CMAKE_SOURCE_DIR}/.deps/usr")  # unpacked by ./run without root
  list(APPEND _rpath "${CMAKE_SOURCE_DIR}/.deps/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
set_target_properties(frazil_core PROPERTIES INSTALL_RPATH "${_rpath}")
install(TARGETS frazil_core LIBRARY DESTINATION frazil COMPONENT python)
