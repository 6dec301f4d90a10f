#pragma once

#include <cstdint>

#include "kinema/layers.h"

namespace kinema::blocks {

// A number of channels times a factor, to the nearest multiple of `divisor` that is at least `least` and not
// more than 10 % below.
std::int64_t round_channels(std::int64_t channels, double factor, std::int64_t divisor = 1,
                            std::int64_t least = 1);

// Hu et al. 2018, "Squeeze-and-Excitation Networks": each channel times a factor in (0, 1) that follows from
// the means of all channels, through `hidden` channels and a ReLU. Names as in PySlowFast: `fc1`, `fc2`,
// 1x1x1 convolutions with bias.
class SqueezeExcitation : public Layer {
 public:
  SqueezeExcitation(std::int64_t channels, std::int64_t hidden);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Child<Conv3d> fc1_;
  Child<Relu> relu_;
  Child<Conv3d> fc2_;
  Child<Activation> sigmoid_;
};

}  // namespace kinema::blocks
