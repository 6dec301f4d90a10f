#pragma once

#include <torch/version.h>

#include "kinema/version.h"

// The build stamp: the facts about a library that must equal the host's before any of its code may run. The
// loader reads it from the file's bytes (section `kinema_stamp`). Form: "kinema-stamp;key=value;...;end".
#define KINEMA_STAMP_TEXT_(x) #x
#define KINEMA_STAMP_TEXT(x) KINEMA_STAMP_TEXT_(x)

#if defined(__SANITIZE_ADDRESS__)
#define KINEMA_STAMP_SANITIZE "address"
#elif defined(__SANITIZE_THREAD__)
#define KINEMA_STAMP_SANITIZE "thread"
#else
#define KINEMA_STAMP_SANITIZE "none"
#endif
#if defined(_GLIBCXX_DEBUG)
#define KINEMA_STAMP_STDDEBUG "1"
#else
#define KINEMA_STAMP_STDDEBUG "0"
#endif

#include <string>  // defines _GLIBCXX_USE_CXX11_ABI

#define KINEMA_STAMP                                                            \
  "kinema-stamp;sdk=" KINEMA_SDK_VERSION ";torch=" TORCH_VERSION                \
  ";compiler=gcc-" KINEMA_STAMP_TEXT(__GNUC__) ";cxx11_abi=" KINEMA_STAMP_TEXT( \
      _GLIBCXX_USE_CXX11_ABI) ";std_debug=" KINEMA_STAMP_STDDEBUG ";sanitize=" KINEMA_STAMP_SANITIZE ";end"
