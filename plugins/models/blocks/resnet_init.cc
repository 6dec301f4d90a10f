#include "blocks/resnet_init.h"

#include "kinema/layers.h"

namespace kinema::blocks {
namespace {

void init_conv(Conv3d& conv) {
  init::kaiming_normal_fan_out(conv.weight());
  if (conv.bias().defined()) init::constant(conv.bias(), 0);
}

}  // namespace

void init_convolutions(Module& network) {
  for (const auto& [path, module] : network.modules())
    if (auto* conv = dynamic_cast<Conv3d*>(module)) init_conv(*conv);
}

void init_resnet(Module& network) {
  for (const auto& [path, module] : network.modules()) {
    if (auto* conv = dynamic_cast<Conv3d*>(module)) {
      init_conv(*conv);
    } else if (auto* linear = dynamic_cast<Linear*>(module)) {
      init::normal(linear->weight(), 0.01);
      if (linear->bias().defined()) init::constant(linear->bias(), 0);
    }
  }
}

}  // namespace kinema::blocks
