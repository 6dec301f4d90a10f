#pragma once

#include "kinema/registrar.h"

namespace kinema::resnet3d {

// r3d_N, mc3_N, r2plus1d_N.
void add_torchvision_presets(Registration& model);
// resnet3d_N, resnet2p1d_N, preresnet3d_N, wideresnet3d_50_k2, resnext3d_N.
void add_hara_presets(Registration& model);

}  // namespace kinema::resnet3d
