#include <ATen/ops/adaptive_avg_pool3d.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/max_pool3d.h>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

const Pool3dOptions& checked(const char* layer, const Pool3dOptions& o) {
  std::vector<Problem> problems;
  const auto expect = [&](bool good, const char* option, const char* expected, std::int64_t got) {
    if (!good)
      problems.push_back(
          {layer,
           std::string("wrong ") + option + ": expected " + expected + ", got " + std::to_string(got),
           {},
           {}});
  };
  for (std::size_t d = 0; d < 3; ++d) {
    expect(o.kernel[d] > 0, "kernel", "positive sizes", o.kernel[d]);
    expect(o.stride[d] > 0, "stride", "positive sizes", o.stride[d]);
    expect(o.padding[d] >= 0 && o.padding[d] <= o.kernel[d] / 2, "padding", "sizes of 0 to half the kernel",
           o.padding[d]);
  }
  if (!problems.empty()) throw Error(ErrorKind::plugin, std::move(problems));
  return o;
}

}  // namespace

MaxPool3d::MaxPool3d(const Pool3dOptions& options) : options_(checked("MaxPool3d", options)) {}

at::Tensor MaxPool3d::forward(const at::Tensor& x) {
  return at::max_pool3d(x, options_.kernel, options_.stride, options_.padding, 1, options_.ceil_mode);
}

AvgPool3d::AvgPool3d(const Pool3dOptions& options) : options_(checked("AvgPool3d", options)) {}

at::Tensor AvgPool3d::forward(const at::Tensor& x) {
  return at::avg_pool3d(x, options_.kernel, options_.stride, options_.padding, options_.ceil_mode, true);
}

AdaptiveAvgPool3d::AdaptiveAvgPool3d(Extent<3> output) : output_(output) {
  for (const std::int64_t size : output)
    if (size < 1)
      throw Error(ErrorKind::plugin, "AdaptiveAvgPool3d",
                  "wrong output: expected positive sizes, got " + std::to_string(size));
}

at::Tensor AdaptiveAvgPool3d::forward(const at::Tensor& x) { return at::adaptive_avg_pool3d(x, output_); }

}  // namespace kinema
