#include "kinema/plugin.h"

namespace museum {
struct OwnType {};
}  // namespace museum

KINEMA_PLUGIN("throws_own_type", "1.0", "throws something that is no exception class") {
  throw museum::OwnType{};
}
