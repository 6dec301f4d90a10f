#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::resnet3d {

// The video ResNets of torchvision: Tran et al. 2018, "A Closer Look at Spatiotemporal Convolutions for
// Action Recognition" (R3D, MC3, R(2+1)D with two convolutions a block and no max pool). Parameter names and
// initialisation as in torchvision.models.video.
std::shared_ptr<Model> make_torchvision(const Resnet3dOptions& options, std::int64_t classes);

}  // namespace kinema::resnet3d
