#pragma once

#include <cstdint>
#include <memory>

#include "kinema/layers.h"

namespace kinema::blocks {

// The second of a bottleneck's three convolutions: 3x3x3 of each channel alone, or 3x1x1 and then 1x3x3 with
// batch norm and ReLU between them.
enum class MiddleConvolution { depthwise, factored };

struct PytorchvideoBlockOptions {
  std::int64_t in = 0;
  std::int64_t inner = 0;
  std::int64_t out = 0;
  Extent<3> stride = 1;  // of the second convolution and the shortcut
  MiddleConvolution middle = MiddleConvolution::depthwise;
};

// Residual block of 1x1x1, a second and 1x1x1 convolutions, each with batch norm. Names as in PyTorchVideo:
// `branch1_conv`, `branch1_norm` where the shape changes; `branch2.conv_{a,b,c}`, `branch2.norm_{a,b,c}`, and
// of a factored one `branch2.conv_b.{conv_t,norm,conv_xy}`.
class PytorchvideoBlock : public Layer {
 public:
  explicit PytorchvideoBlock(const PytorchvideoBlockOptions& options);
  BatchNorm& last_norm() { return *last_norm_; }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Child<Conv3d> branch1_conv_;
  Child<BatchNorm> branch1_norm_;
  std::shared_ptr<BatchNorm> last_norm_;
  Child<Sequential> branch2_;
};

}  // namespace kinema::blocks
