#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kinema/layers.h"
#include "options.h"

namespace kinema::resnet3d {

// One convolution of a row, with the batch norm that goes with it: "2_s" gives conv2_s and bn2_s.
struct Convolution {
  std::string name;
  Conv3dOptions conv;
};

// 1x3x3 followed by 3x1x1 in place of 3x3x3, through as many channels as keep the number of parameters
// (rounded down); `counted_in`: input channels that this count takes.
std::vector<Convolution> factored(const Convolution& convolution, std::int64_t counted_in);

// The first layer: 7x7x7, or 1x7x7 and 7x1x1.
std::vector<Convolution> stem_convolutions(const Resnet3dOptions& options, std::int64_t channels);

// One residual block of a stage of so many planes.
struct BlockShape {
  std::int64_t in = 0;
  std::int64_t planes = 0;
  std::int64_t stride = 1;
};

// Channels that a block of so many planes gives.
std::int64_t block_channels(const Resnet3dOptions& options, std::int64_t planes);

std::shared_ptr<Layer> make_block(const Resnet3dOptions& options, const BlockShape& shape);

}  // namespace kinema::resnet3d
