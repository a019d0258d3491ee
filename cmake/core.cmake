# libfrazil_core: all of src/ but the CUDA folders. Sources are found by glob; nobody edits a list.
file(GLOB_RECURSE FRAZIL_CORE_SOURCES CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*.cpp)
list(FILTER FRAZIL_CORE_SOURCES EXCLUDE REGEX "/cuda/")
add_library(frazil_core SHARED ${FRAZIL_CORE_SOURCES} ${FRAZIL_GENERATED_SOURCES})
target_include_directories(frazil_core PUBLIC ${CMAKE_SOURCE_DIR}/src PRIVATE ${FRAZIL_GENERATED_DIR})
target_precompile_headers(frazil_core PRIVATE <algorithm> <atomic> <cstdint> <cstring> <functional> <memory> <optional>
  <span> <string> <string_view> <unordered_map> <utility> <variant> <vector>)
target_link_libraries(frazil_core PRIVATE dep::zstd dep::snappy dep::re2 Threads::Threads ${CMAKE_DL_LIBS})
# DT_RPATH, since DT_RUNPATH is not inherited by the libraries that ours need.
target_link_options(frazil_core PRIVATE -Wl,--as-needed -Wl,--gc-sections -Wl,--disable-new-dtags)
set(_rpath "$ORIGIN")
if(EXISTS "${CMAKE_SOURCE_DIR}/.deps/usr")  # unpacked by ./run without root
  list(APPEND _rpath "${CMAKE_SOURCE_DIR}/.deps/usr/lib/${CMAKE_LIBRARY_ARCHITECTURE}")
endif()
set_target_properties(frazil_core PROPERTIES INSTALL_RPATH "${_rpath}")
install(TARGETS frazil_core LIBRARY DESTINATION frazil COMPONENT python)
