#include <stdexcept>

#include "kinema/plugin.h"

KINEMA_PLUGIN("throws_exception", "1.0", "throws a standard exception while it registers") {
  throw std::runtime_error("no room for tables");
}
