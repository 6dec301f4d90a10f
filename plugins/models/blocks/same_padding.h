#pragma once

#include "kinema/layers.h"

namespace kinema::blocks {

// Appends zeros so that a window of this kernel and stride gives size / stride places on each axis, rounded
// up: TensorFlow's SAME padding, which puts the odd one behind.
at::Tensor pad_same(const at::Tensor& x, const Extent<3>& kernel, const Extent<3>& stride);

// Max pool with SAME padding. The padding counts as zeros, as in pytorch-i3d; TensorFlow's is -inf, which is
// the same behind a ReLU.
class SameMaxPool3d : public Layer {
 public:
  SameMaxPool3d(Extent<3> kernel, Extent<3> stride) : kernel_(kernel), stride_(stride) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  Extent<3> kernel_, stride_;
};

struct SameUnitOptions {
  std::int64_t in = 0;
  std::int64_t out = 0;
  Extent<3> kernel = 1;
  Extent<3> stride = 1;
};

// Convolution without bias and with SAME padding, batch norm (eps 1e-3, momentum 0.01), ReLU. Names as in
// pytorch-i3d: `conv3d`, `bn`.
class SameUnit : public Layer {
 public:
  explicit SameUnit(const SameUnitOptions& options);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  SameUnitOptions options_;
  bool symmetric_;
  Child<Conv3d> conv_;
  Child<BatchNorm> bn_;
  Child<Relu> relu_;
};

}  // namespace kinema::blocks
