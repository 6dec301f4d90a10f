#include "kinema/scheduler.h"

namespace kinema {

Scheduler::~Scheduler() = default;

}  // namespace kinema
