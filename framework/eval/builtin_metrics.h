#pragma once

#include "kinema/registrar.h"

namespace kinema::eval {

// The metrics that need no plugin: accuracy (top1, top5), mean_class.
void register_builtin_metrics(Registrar& registrar);

}  // namespace kinema::eval
