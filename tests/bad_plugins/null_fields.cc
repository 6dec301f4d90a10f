#include "kinema/plugin.h"

extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
__attribute__((visibility("default"))) const KinemaPluginDescriptor* kinema_plugin_v1() {
  static const KinemaPluginDescriptor descriptor = {
      sizeof descriptor, KINEMA_SDK_MAJOR, "null_fields", nullptr, "lacks fields", nullptr, nullptr};
  return &descriptor;
}
}
