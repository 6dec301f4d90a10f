#pragma once

#include <vector>

#include "kinema/model.h"

namespace kinema::blocks {

struct PathwayNames {
  bool two_pathways = false;
  bool pool_frames = false;
  bool mmaction2 = false;  // arranged as in MMAction2
};

// Names of PySlowFast ("pyslowfast": as they are) and PyTorchVideo ("pytorchvideo"); of MMAction2
// ("mmaction2"), where the network computes the same; and of torchvision's image ResNets ("torchvision-2d"),
// whose kernels are to be inflated, for one pathway.
std::vector<KeyMap> pathway_key_maps(const PathwayNames& names);

}  // namespace kinema::blocks
