#include "blocks/same_padding.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/max_pool3d.h>

#include <algorithm>
#include <array>

namespace kinema::blocks {
namespace {

std::int64_t missing(std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  const std::int64_t rest = size % stride;
  return std::max<std::int64_t>(kernel - (rest == 0 ? stride : rest), 0);
}

// With a stride of 1 an odd kernel needs as much before as behind, whatever the size: then the convolution
// pads by itself, without a copy.
bool symmetric(const SameUnitOptions& o) {
  return o.stride == Extent<3>(1) &&
         std::all_of(o.kernel.begin(), o.kernel.end(), [](std::int64_t k) { return k % 2 == 1; });
}

Conv3dOptions conv_options(const SameUnitOptions& o) {
  Conv3dOptions conv{
      .in = o.in, .out = o.out, .kernel = o.kernel, .stride = o.stride, .padding = 0, .bias = false};
  for (std::size_t d = 0; d < 3 && symmetric(o); ++d) conv.padding[d] = o.kernel[d] / 2;
  return conv;
}

}  // namespace

at::Tensor pad_same(const at::Tensor& x, const Extent<3>& kernel, const Extent<3>& stride) {
  std::array<std::int64_t, 6> padding;  // before and behind, from the last axis to the first
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t all = missing(x.size(static_cast<std::int64_t>(d) + 2), kernel[d], stride[d]);
    padding[4 - 2 * d] = all / 2;
    padding[5 - 2 * d] = all - all / 2;
  }
  const bool none = std::all_of(padding.begin(), padding.end(), [](std::int64_t p) { return p == 0; });
  return none ? x : at::constant_pad_nd(x, padding, 0);
}

at::Tensor SameMaxPool3d::forward(const at::Tensor& x) {
  return at::max_pool3d(pad_same(x, kernel_, stride_), kernel_, stride_);
}

SameUnit::SameUnit(const SameUnitOptions& o)
    : options_(o),
      symmetric_(symmetric(o)),
      conv_(child<Conv3d>("conv3d", conv_options(o))),
      bn_(child<BatchNorm>("bn", BatchNormOptions{.features = o.out, .eps = 1e-3, .momentum = 0.01})),
      relu_(child<Relu>("relu", true)) {}

at::Tensor SameUnit::forward(const at::Tensor& x) {
  return relu_(bn_(conv_(symmetric_ ? x : pad_same(x, options_.kernel, options_.stride))));
}

}  // namespace kinema::blocks
