#pragma once

#include <cstdint>

#include "blocks/pathway_head.h"
#include "kinema/layers.h"
#include "kinema/model.h"

namespace kinema::x3d {

struct HeadOptions {
  std::int64_t in = 0;
  std::int64_t inner = 0;  // channels of conv5
  std::int64_t out = 0;    // of the layer behind the pool
  std::int64_t classes = 0;
  bool norm = false;  // batch norm in the layer behind the pool
  double dropout = 0.5;
  blocks::HeadActivation activation = blocks::HeadActivation::softmax;
  std::int64_t frames = 0;  // of the map that is averaged into one position; 0: all
  std::int64_t side = 5;
};

// The end of X3D: conv5, mean, two fully connected layers. A map larger than the window gives several
// positions: `logits` are their mean, and in eval mode extra["probabilities"] is the mean of each position's
// activation. Names as in PySlowFast: `conv_5`, `conv_5_bn`, `lin_5`, `lin_5_bn`, `projection`.
class Head : public Module {
 public:
  explicit Head(const HeadOptions& options);
  at::Tensor conv5(const at::Tensor& x);
  Output classify(const at::Tensor& map);  // what conv5() gave

 private:
  HeadOptions options_;
  Child<Conv3d> conv_5_;
  Child<BatchNorm> conv_5_bn_;
  Child<Relu> conv_5_relu_;
  Child<Conv3d> lin_5_;
  Child<BatchNorm> lin_5_bn_;
  Child<Relu> lin_5_relu_;
  Child<Dropout> dropout_;
  Child<Linear> projection_;
};

}  // namespace kinema::x3d
