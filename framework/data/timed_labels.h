#pragma once

#include <cstdint>
#include <span>

#include "kinema/dataset.h"

namespace kinema::data {

// Makes the values of a target with timed labels those of a clip: 1 for each class that one of `frames`
// shows. As PySlowFast trains on Charades. `fps` is the file's, for labels in seconds; a file without a rate:
// Error(data).
void keep_shown(Target& target, std::span<const std::int64_t> frames, double fps);

}  // namespace kinema::data
