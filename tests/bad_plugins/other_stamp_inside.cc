#include "kinema/plugin.h"

// The section shows a stamp that pleases the host; the code was built with another.
extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
__attribute__((visibility("default"))) const KinemaPluginDescriptor* kinema_plugin_v1() {
  static const KinemaPluginDescriptor descriptor = {
      sizeof descriptor,        KINEMA_SDK_MAJOR,
      "other_stamp_inside",     "1.0",
      "made up its stamp",      "kinema-stamp;sdk=0.1;torch=1.0.0;end",
      [](kinema::Registrar&) {}};
  return &descriptor;
}
}
