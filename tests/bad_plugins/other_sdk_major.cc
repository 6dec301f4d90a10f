#include "kinema/plugin.h"

// The stamp says the host's version and the descriptor another one.
extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
__attribute__((visibility("default"))) const KinemaPluginDescriptor* kinema_plugin_v1() {
  static const KinemaPluginDescriptor descriptor = {
      sizeof descriptor,        97, "other_sdk_major", "1.0", "of another major version", kinema_build_stamp,
      [](kinema::Registrar&) {}};
  return &descriptor;
}
}
