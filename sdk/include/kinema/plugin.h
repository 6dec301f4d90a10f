#pragma once

#include <cstdint>

#include "kinema/registrar.h"
#include "kinema/stamp.h"

// What a library says about itself: plain data, read before any C++ of the library is called. No field may be
// null. Fields are only ever added at the end; `size` tells how many there are.
struct KinemaPluginDescriptor {
  std::uint32_t size;  // sizeof(KinemaPluginDescriptor) at the library's compile time
  std::uint32_t sdk_major;
  const char* name;
  const char* version;
  const char* about;                                          // one sentence
  const char* stamp;                                          // KINEMA_STAMP
  void (*register_components)(kinema::Registrar& registrar);  // may throw; called once, on one thread
};

// The door of a plugin library. Exactly one per library:
//
//   KINEMA_PLUGIN("my_net", "1.0", "a small network for fast clips") {
//     registrar.add<kinema::Model>("my_net", "...", options, make);
//   }
//
// No code of the library runs before the host has compared the stamp; static initialisers should do nothing.
#define KINEMA_PLUGIN(NAME, VERSION, ABOUT)                                                            \
  extern "C" {                                                                                         \
  __attribute__((used, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;       \
  }                                                                                                    \
  static void kinema_register_components(kinema::Registrar& registrar);                                \
  extern "C" __attribute__((visibility("default"))) const KinemaPluginDescriptor* kinema_plugin_v1() { \
    static const KinemaPluginDescriptor descriptor = {                                                 \
        sizeof(KinemaPluginDescriptor), KINEMA_SDK_MAJOR, NAME, VERSION, ABOUT, kinema_build_stamp,    \
        &kinema_register_components};                                                                  \
    return &descriptor;                                                                                \
  }                                                                                                    \
  static void kinema_register_components([[maybe_unused]] kinema::Registrar& registrar)
