#pragma once

#include "framework/config/experiment.h"
#include "kinema/options.h"

namespace kinema::config {

// The keys of [clip] that training and evaluation have, and those of the uses asked for: a key that a use has
// no use for is none of its keys.
Options<ClipOptions> clip_options(bool train, bool eval);

}  // namespace kinema::config
