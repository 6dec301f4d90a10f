#include "kinema/plugin.h"

KINEMA_PLUGIN("throws_int", "1.0", "throws a number while it registers") { throw 7; }
