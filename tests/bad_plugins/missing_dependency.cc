#include "kinema/plugin.h"

int absent_answer();

KINEMA_PLUGIN("missing_dependency", "1.0", "needs a library that is not there") {
  if (absent_answer() == 0) throw 1;
}
