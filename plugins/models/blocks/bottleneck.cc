#include "blocks/bottleneck.h"

#include "blocks/stage.h"

namespace kinema::blocks {

std::shared_ptr<Conv3d> same_conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride,
                                  Extent<3> dilation) {
  Extent<3> padding;
  for (std::size_t d = 0; d < 3; ++d) padding[d] = kernel[d] / 2 * dilation[d];
  return std::make_shared<Conv3d>(Conv3dOptions{.in = in,
                                                .out = out,
                                                .kernel = kernel,
                                                .stride = stride,
                                                .padding = padding,
                                                .dilation = dilation,
                                                .bias = false});
}

Bottleneck::Bottleneck(const BottleneckOptions& o) : last_norm_(std::make_shared<BatchNorm>(o.out)) {
  const Extent<3> stride(1, o.stride, o.stride);
  if (o.in != o.out || o.stride != 1) {
    branch1_ = child_of<Conv3d>("branch1", same_conv(o.in, o.out, 1, stride));
    branch1_bn_ = child<BatchNorm>("branch1_bn", o.out);
  }
  branch2_ = child<Sequential>("branch2");
  branch2_->add(same_conv(o.in, o.inner, {o.temporal_kernel, 1, 1}), "a")
      .add(std::make_shared<BatchNorm>(o.inner), "a_bn")
      .add(std::make_shared<Relu>(true), "a_relu")
      .add(same_conv(o.inner, o.inner, {1, 3, 3}, stride, {1, o.dilation, o.dilation}), "b")
      .add(std::make_shared<BatchNorm>(o.inner), "b_bn")
      .add(std::make_shared<Relu>(true), "b_relu")
      .add(same_conv(o.inner, o.out, 1), "c")
      .add(last_norm_, "c_bn");
}

at::Tensor Bottleneck::forward(const at::Tensor& x) {
  return add_relu(branch2_(x), branch1_ ? branch1_bn_(branch1_(x)) : x);
}

}  // namespace kinema::blocks
