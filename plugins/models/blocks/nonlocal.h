#pragma once

#include <cstdint>

#include "kinema/layers.h"

namespace kinema::blocks {

// How the response of one position to another is normalised: softmax of the scaled product, or the product
// divided by the number of positions.
enum class Affinity { softmax, dot_product };

struct NonLocalOptions {
  std::int64_t channels = 0;
  std::int64_t inner = 0;
  Affinity affinity = Affinity::softmax;
  Extent<3> pool = 1;  // max pool of what every position looks at
};

// Wang et al. 2018, "Non-local Neural Networks": adds to each position a weighted mean over all positions in
// time and space. Names as in PySlowFast: `conv_{theta,phi,g,out}` with bias, `bn`.
class NonLocal : public Layer {
 public:
  explicit NonLocal(const NonLocalOptions& options);
  BatchNorm& last_norm() { return *bn_; }

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  NonLocalOptions options_;
  Child<Conv3d> theta_, phi_, g_, out_;
  Child<BatchNorm> bn_;
  Child<MaxPool3d> pool_;
};

}  // namespace kinema::blocks
