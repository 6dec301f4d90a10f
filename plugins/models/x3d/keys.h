#pragma once

#include <string>
#include <vector>

#include "kinema/model.h"

namespace kinema::x3d {

// Names of PySlowFast ("pyslowfast": as they are) and PyTorchVideo ("pytorchvideo"), which has no batch norm
// in a shortcut that keeps the number of channels: `bare_shortcuts` are the blocks with such ones.
std::vector<KeyMap> key_maps(const std::vector<std::string>& bare_shortcuts);

}  // namespace kinema::x3d
