#include "kinema/plugin.h"

KINEMA_PLUGIN("throws_kinema_error", "1.0", "throws the SDK's exception while it registers") {
  throw kinema::Error(
      kinema::ErrorKind::run,
      {{"tables", "no table of class names", "install the tables", {}}, {"", "no licence", "", {}}});
}
