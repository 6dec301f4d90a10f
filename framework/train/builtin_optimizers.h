#pragma once

#include "kinema/registrar.h"

namespace kinema::train {

// The optimizers that need no plugin: sgd, adamw.
void register_builtin_optimizers(Registrar& registrar);

}  // namespace kinema::train
