#include "kinema/plugin.h"

extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
__attribute__((visibility("default"))) const KinemaPluginDescriptor* kinema_plugin_v1() {
  static const std::uint32_t descriptor[2] = {sizeof descriptor, KINEMA_SDK_MAJOR};
  return reinterpret_cast<const KinemaPluginDescriptor*>(descriptor);
}
}
