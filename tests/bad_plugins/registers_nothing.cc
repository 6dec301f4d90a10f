#include "kinema/plugin.h"

KINEMA_PLUGIN("registers_nothing", "1.0", "has nothing to offer") {}
