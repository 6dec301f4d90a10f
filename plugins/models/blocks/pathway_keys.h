#pragma once

#include <vector>

#include "kinema/model.h"

namespace kinema::blocks {

// Names of PySlowFast ("pyslowfast": as they are) and PyTorchVideo ("pytorchvideo").
std::vector<KeyMap> pathway_key_maps(bool two_pathways, bool pool_frames);

}  // namespace kinema::blocks
