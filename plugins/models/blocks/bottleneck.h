#pragma once

#include <cstdint>
#include <memory>

#include "kinema/layers.h"

namespace kinema::blocks {

// A convolution without bias whose padding keeps the size at stride 1 (odd kernels).
std::shared_ptr<Conv3d> same_conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride = 1,
                                  Extent<3> dilation = 1);

struct BottleneckOptions {
  std::int64_t in = 0;
  std::int64_t inner = 0;
  std::int64_t out = 0;
  std::int64_t temporal_kernel = 1;  // of the first convolution
  std::int64_t stride = 1;           // in space, of the second convolution and the shortcut
  std::int64_t dilation = 1;         // in space, of the second convolution
};

// Residual block of Tx1x1, 1x3x3 and 1x1x1 convolutions, each with batch norm (He et al. 2016; Feichtenhofer
// et al. 2019). Names as in PySlowFast: `branch1`, `branch1_bn` where the shape changes; `branch2.{a,b,c}`,
// `branch2.{a,b,c}_bn`.
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

}  // namespace kinema::blocks
