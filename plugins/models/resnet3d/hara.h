#pragma once

#include <cstdint>
#include <memory>

#include "kinema/model.h"
#include "options.h"

namespace kinema::resnet3d {

// The networks of kenshohara/3D-ResNets-PyTorch: Hara et al. 2018, "Can Spatiotemporal 3D CNNs Retrace the
// History of 2D CNNs and ImageNet?" (residual, pre-activation, wide, ResNeXt) and Kataoka et al. 2020
// (R(2+1)D). One convolution of 7x7x7 and a max pool over frames too, then four stages. Parameter names,
// initialisation and numbers are that program's; its shortcut A lets no gradient through, this one does.
std::shared_ptr<Model> make_hara(const Resnet3dOptions& options, std::int64_t classes);

}  // namespace kinema::resnet3d
