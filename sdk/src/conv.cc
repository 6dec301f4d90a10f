#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/empty.h>

#include "conv3d.h"
#include "kinema/error.h"
#include "kinema/layers.h"
#include "torch_init.h"

namespace kinema {
namespace {

template <std::size_t D>
const ConvOptions<D>& checked(const ConvOptions<D>& o) {
  std::vector<Problem> problems;
  const auto expect = [&](bool good, const char* option, const char* expected, std::int64_t got) {
    if (!good)
      problems.push_back(
          {"Conv" + std::to_string(D) + "d",
           std::string("wrong ") + option + ": expected " + expected + ", got " + std::to_string(got),
           {},
           {}});
  };
  expect(o.in > 0, "in", "a positive number of channels", o.in);
  expect(o.out > 0, "out", "a positive number of channels", o.out);
  expect(o.groups > 0, "groups", "a positive number", o.groups);
  if (o.groups > 0) {
    expect(o.in % o.groups == 0, "groups", "a divisor of in", o.groups);
    expect(o.out % o.groups == 0, "groups", "a divisor of out", o.groups);
  }
  for (std::size_t d = 0; d < D; ++d) {
    expect(o.kernel[d] > 0, "kernel", "positive sizes", o.kernel[d]);
    expect(o.stride[d] > 0, "stride", "positive sizes", o.stride[d]);
    expect(o.dilation[d] > 0, "dilation", "positive sizes", o.dilation[d]);
    expect(o.padding[d] >= 0, "padding", "sizes of at least 0", o.padding[d]);
  }
  if (!problems.empty()) throw Error(ErrorKind::plugin, std::move(problems));
  return o;
}

template <std::size_t D>
at::Tensor new_weight(const ConvOptions<D>& o) {
  std::vector<std::int64_t> shape = {o.out, o.in / o.groups};
  shape.insert(shape.end(), o.kernel.begin(), o.kernel.end());
  return torch_init::weight(at::empty(shape));
}

}  // namespace

template <std::size_t D>
Conv<D>::Conv(const ConvOptions<D>& options)
    : options_(checked(options)),
      weight_(parameter("weight", new_weight(options_))),
      bias_(parameter("bias", options_.bias ? torch_init::bias(options_.out, weight_) : at::Tensor())) {}

template <std::size_t D>
std::string Conv<D>::type_name() const {
  return "Conv" + std::to_string(D) + "d";
}

template <std::size_t D>
at::Tensor Conv<D>::forward(const at::Tensor& x) {
  const ConvOptions<D>& o = options_;
  if constexpr (D == 1) return at::conv1d(x, weight_, bias_, o.stride, o.padding, o.dilation, o.groups);
  if constexpr (D == 2) return at::conv2d(x, weight_, bias_, o.stride, o.padding, o.dilation, o.groups);
  if constexpr (D == 3) return conv3d::conv3d(x, weight_, bias_, o);
}

template class Conv<1>;
template class Conv<2>;
template class Conv<3>;

}  // namespace kinema
