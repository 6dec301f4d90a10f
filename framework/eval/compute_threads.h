#pragma once

#include "framework/config/experiment.h"

namespace kinema::eval {

// Torch's threads for this process: as many as [trainer] threads says, else all cores.
void set_compute_threads(const config::TrainerOptions& trainer);

}  // namespace kinema::eval
