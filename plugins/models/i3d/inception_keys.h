#pragma once

#include <vector>

#include "kinema/model.h"

namespace kinema::i3d {

// Names of pytorch-i3d ("pytorch-i3d": as they are) and of the variables of DeepMind's kinetics-i3d
// ("kinetics-i3d"), whose batch norms have no weight. Those are names only: TensorFlow stores kernels as
// [frames, height, width, in, out], which whoever writes the file turns to [out, in, frames, height, width],
// and statistics as [1, 1, 1, 1, channels], which become [channels].
std::vector<KeyMap> inception_key_maps();

}  // namespace kinema::i3d
