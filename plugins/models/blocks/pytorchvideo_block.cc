#include "blocks/pytorchvideo_block.h"

#include "blocks/bottleneck.h"
#include "blocks/stage.h"

namespace kinema::blocks {
namespace {

std::shared_ptr<Layer> middle_convolution(const PytorchvideoBlockOptions& o) {
  if (o.middle == MiddleConvolution::depthwise)
    return std::make_shared<Conv3d>(Conv3dOptions{.in = o.inner,
                                                  .out = o.inner,
                                                  .kernel = 3,
                                                  .stride = o.stride,
                                                  .padding = 1,
                                                  .groups = o.inner,
                                                  .bias = false});
  auto row = std::make_shared<Sequential>();
  row->add(same_conv(o.inner, o.inner, {3, 1, 1}, {o.stride[0], 1, 1}), "conv_t")
      .add(std::make_shared<BatchNorm>(o.inner), "norm")
      .add(std::make_shared<Relu>(true), "activation")
      .add(same_conv(o.inner, o.inner, {1, 3, 3}, {1, o.stride[1], o.stride[2]}), "conv_xy");
  return row;
}

}  // namespace

PytorchvideoBlock::PytorchvideoBlock(const PytorchvideoBlockOptions& o)
    : last_norm_(std::make_shared<BatchNorm>(o.out)) {
  if (o.in != o.out || o.stride != Extent<3>(1)) {
    branch1_conv_ = child_of<Conv3d>("branch1_conv", same_conv(o.in, o.out, 1, o.stride));
    branch1_norm_ = child<BatchNorm>("branch1_norm", o.out);
  }
  branch2_ = child<Sequential>("branch2");
  branch2_->add(same_conv(o.in, o.inner, 1), "conv_a")
      .add(std::make_shared<BatchNorm>(o.inner), "norm_a")
      .add(std::make_shared<Relu>(true), "act_a")
      .add(middle_convolution(o), "conv_b")
      .add(std::make_shared<BatchNorm>(o.inner), "norm_b")
      .add(std::make_shared<Relu>(true), "act_b")
      .add(same_conv(o.inner, o.out, 1), "conv_c")
      .add(last_norm_, "norm_c");
}

at::Tensor PytorchvideoBlock::forward(const at::Tensor& x) {
  return add_relu(branch2_(x), branch1_conv_ ? branch1_norm_(branch1_conv_(x)) : x);
}

}  // namespace kinema::blocks
