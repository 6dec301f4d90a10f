#pragma once

#include <cstdint>

#include "kinema/layers.h"

namespace kinema::x3d {

struct BottleneckOptions {
  std::int64_t in = 0;
  std::int64_t inner = 0;
  std::int64_t out = 0;
  std::int64_t stride = 1;   // in space, of the second convolution and the shortcut
  std::int64_t groups = 1;   // of the second convolution
  std::int64_t squeeze = 0;  // channels inside squeeze-excitation; 0: none
};

// Residual block of X3D: 1x1x1, 3x3x3 (one filter a channel) and 1x1x1 convolutions with batch norm;
// squeeze-excitation and Swish behind the second. Names as in PySlowFast: `branch1`, `branch1_bn` where the
// shape changes; `branch2.{a,b,c}`, `branch2.{a,b,c}_bn`, `branch2.se`.
class Bottleneck : public Layer {
 public:
  explicit Bottleneck(const BottleneckOptions& options);
  BatchNorm& last_norm() { return *last_norm_; }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Child<Conv3d> branch1_;
  Child<BatchNorm> branch1_bn_;
  std::shared_ptr<BatchNorm> last_norm_;
  Child<Sequential> branch2_;
};

}  // namespace kinema::x3d
