#include "bottleneck.h"

#include "blocks/bottleneck.h"
#include "blocks/squeeze_excitation.h"
#include "blocks/stage.h"

namespace kinema::x3d {

using blocks::same_conv;

Bottleneck::Bottleneck(const BottleneckOptions& o) : last_norm_(std::make_shared<BatchNorm>(o.out)) {
  const Extent<3> stride(1, o.stride, o.stride);
  if (o.in != o.out || o.stride != 1) {
    branch1_ = child_of<Conv3d>("branch1", same_conv(o.in, o.out, 1, stride));
    branch1_bn_ = child<BatchNorm>("branch1_bn", o.out);
  }
  branch2_ = child<Sequential>("branch2");
  branch2_->add(same_conv(o.in, o.inner, 1), "a")
      .add(std::make_shared<BatchNorm>(o.inner), "a_bn")
      .add(std::make_shared<Relu>(true), "a_relu")
      .add(std::make_shared<Conv3d>(Conv3dOptions{.in = o.inner,
                                                  .out = o.inner,
                                                  .kernel = 3,
                                                  .stride = stride,
                                                  .padding = 1,
                                                  .groups = o.groups,
                                                  .bias = false}),
           "b")
      .add(std::make_shared<BatchNorm>(o.inner), "b_bn");
  if (o.squeeze > 0) branch2_->add(std::make_shared<blocks::SqueezeExcitation>(o.inner, o.squeeze), "se");
  branch2_->add(std::make_shared<Activation>(ActivationKind::silu), "b_relu")
      .add(same_conv(o.inner, o.out, 1), "c")
      .add(last_norm_, "c_bn");
}

at::Tensor Bottleneck::forward(const at::Tensor& x) {
  return blocks::add_relu(branch2_(x), branch1_ ? branch1_bn_(branch1_(x)) : x);
}

}  // namespace kinema::x3d
