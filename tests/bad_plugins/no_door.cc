#include "kinema/plugin.h"

// A stamp and a door that is not exported.
extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
__attribute__((used, visibility("hidden"))) const KinemaPluginDescriptor* kinema_plugin_v1() {
  return nullptr;
}
}
