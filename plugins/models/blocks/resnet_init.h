#pragma once

#include "kinema/module.h"

namespace kinema::blocks {

// Initialises a residual network as torchvision does: convolutions normal with std sqrt(2 / fan_out) and bias
// 0, linear layers normal with std 0.01 and bias 0; batch norms stay at 1 and 0.
void init_resnet(Module& network);

// The convolutions only.
void init_convolutions(Module& network);

}  // namespace kinema::blocks
