# LibTorch as imported targets. find_package(Torch) is not used: on a CUDA wheel it demands a CUDA toolkit.
# KINEMA_TORCH_ROOT names a folder with lib/ and include/: the unpacked wheel's torch/, an installed torch package
# or a LibTorch zip.
if(NOT KINEMA_TORCH_ROOT AND DEFINED ENV{KINEMA_TORCH_ROOT})
  set(KINEMA_TORCH_ROOT $ENV{KINEMA_TORCH_ROOT})
endif()
if(NOT KINEMA_TORCH_ROOT)
  if(NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(_kinema_cache $ENV{XDG_CACHE_HOME})
  else()
    set(_kinema_cache $ENV{HOME}/.cache)
  endif()
  set(KINEMA_TORCH_ROOT ${_kinema_cache}/kinema/torch-2.11.0/torch)
endif()
set(KINEMA_TORCH_ROOT ${KINEMA_TORCH_ROOT} CACHE PATH "LibTorch 2.11: a folder with lib/ and include/")
option(KINEMA_TORCH_UNTESTED "accept a LibTorch other than 2.11" OFF)

# 2.11's torch/version.h only includes the header that holds the numbers; older ones hold them.
set(_version_headers ${KINEMA_TORCH_ROOT}/include/torch/headeronly/version.h
  ${KINEMA_TORCH_ROOT}/include/torch/csrc/api/include/torch/version.h)
set(KINEMA_TORCH_VERSION "")
foreach(_header ${_version_headers})
  if(EXISTS ${_header} AND NOT KINEMA_TORCH_VERSION)
    file(STRINGS ${_header} _numbers REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
    string(REGEX MATCHALL "[0-9]+" _numbers "${_numbers}")
    list(JOIN _numbers "." KINEMA_TORCH_VERSION)
  endif()
endforeach()
if(NOT KINEMA_TORCH_VERSION)
  message(FATAL_ERROR "cmake: no LibTorch: expected its headers in ${KINEMA_TORCH_ROOT}/include, got none\n"
    "hint: run ./dev deps, or pass -DKINEMA_TORCH_ROOT=DIR")
endif()
if(NOT KINEMA_TORCH_VERSION MATCHES "^2\\.11\\." AND NOT KINEMA_TORCH_UNTESTED)
  message(FATAL_ERROR "cmake: wrong LibTorch: expected 2.11.x, got ${KINEMA_TORCH_VERSION} in ${KINEMA_TORCH_ROOT}\n"
    "hint: run ./dev deps, or pass -DKINEMA_TORCH_UNTESTED=ON to try it")
endif()

find_package(Threads REQUIRED)
foreach(_library c10 torch_cpu)
  add_library(kinema_torch::${_library} SHARED IMPORTED GLOBAL)
  set_target_properties(kinema_torch::${_library} PROPERTIES
    IMPORTED_LOCATION ${KINEMA_TORCH_ROOT}/lib/lib${_library}.so)
endforeach()
# -idirafter, not -isystem: the wheel ships its own fmt, which must not hide the system's.
set(_include ${KINEMA_TORCH_ROOT}/include)
set_target_properties(kinema_torch::torch_cpu PROPERTIES
  INTERFACE_COMPILE_OPTIONS "SHELL:-idirafter ${_include}/torch/csrc/api/include;SHELL:-idirafter ${_include}"
  INTERFACE_COMPILE_DEFINITIONS "USE_DISTRIBUTED;USE_C10D_GLOO"
  INTERFACE_LINK_LIBRARIES "kinema_torch::c10;Threads::Threads")
list(APPEND CMAKE_BUILD_RPATH ${KINEMA_TORCH_ROOT}/lib)
