#pragma once

#include <cstdint>
#include <string>

#include "kinema/model.h"

namespace kinema::blocks {

// Channels of a clip: 3 of "rgb", 2 of "flow" (x and y).
std::int64_t channels_of(const std::string& modality);

// The clip of a modality, [N, channels, T, H, W]; throws Error(run) when its shape is another one.
const at::Tensor& checked_clip(const ClipBatch& batch, const std::string& modality);

}  // namespace kinema::blocks
