#include "kinema/stamp.h"

// A stamp and no descriptor.
extern "C" {
__attribute__((used, retain, section("kinema_stamp"))) const char kinema_build_stamp[] = KINEMA_STAMP;
}
