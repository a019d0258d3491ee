# Debian's libraries by find_path and find_library: RE2 has no CMake package there. This way a system, an
# unpacked folder of Debian packages and a conda prefix work alike.
function(frazil_library name header library debian)
  find_path(FRAZIL_${name}_INCLUDE ${header})
  find_library(FRAZIL_${name}_LIBRARY ${library})
  if(NOT FRAZIL_${name}_INCLUDE OR NOT FRAZIL_${name}_LIBRARY)
    message(FATAL_ERROR "frazil: ${name} was not found (Debian, Ubuntu: apt-get install ${debian}). ./run installs all of them.")
  endif()
  add_library(dep::${name} UNKNOWN IMPORTED)
  set_target_properties(dep::${name} PROPERTIES IMPORTED_LOCATION "${FRAZIL_${name}_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${FRAZIL_${name}_INCLUDE}")
endfunction()
frazil_library(zstd zstd.h zstd libzstd-dev)
frazil_library(re2 re2/re2.h re2 libre2-dev)
