#include "blocks/pytorchvideo_resnet.h"
#include "kinema/plugin.h"

namespace kinema::r2plus1d {
namespace {

using blocks::HeadActivation;

struct R2plus1dOptions : blocks::PytorchvideoResnetOptions {
  R2plus1dOptions() { dropout = 0.5; }
  HeadActivation activation = HeadActivation::softmax;
};
using O = R2plus1dOptions;

Options<O> options() {
  Options<O> options;
  blocks::add_pytorchvideo_options(options).add_enum(
      "activation", &O::activation, "from logits to probabilities in eval mode",
      {{"softmax", HeadActivation::softmax}, {"sigmoid", HeadActivation::sigmoid}});
  return options;
}

// Tran et al. 2018, "A Closer Look at Spatiotemporal Convolutions for Action Recognition", as PyTorchVideo
// builds it: bottlenecks whose 3x3x3 convolution is 3x1x1 and then 1x3x3, through as many channels as it had.
std::shared_ptr<Model> make(const O& o, Context& context) {
  const Extent<3> space(1, 2, 2);
  return blocks::make_pytorchvideo_resnet({.options = o,
                                           .stem_kernel = {1, 7, 7},
                                           .stem_pool = false,
                                           .middle = blocks::MiddleConvolution::factored,
                                           .strides = {space, space, 2, 2},
                                           .activation = o.activation},
                                          context.num_classes());
}

Value preset(int depth) { return Value::table({{"depth", depth}}); }

}  // namespace
}  // namespace kinema::r2plus1d

KINEMA_PLUGIN("r2plus1d", "1.0", "R(2+1)D networks of bottlenecks") {
  using namespace kinema::r2plus1d;
  registrar
      .add<kinema::Model>("r2plus1d", "R(2+1)D of bottlenecks, as in PyTorchVideo; basic blocks: resnet3d",
                          options(), make)
      .preset("r2plus1d_r50", "50 layers, for 16 frames 4 apart", preset(50))
      .weights("R2PLUS1D_16x4_R50.pyth", "pytorchvideo, docs/source/model_zoo.md")
      .preset("r2plus1d_r101", "101 layers, for 16 frames 4 apart", preset(101))
      .preset("r2plus1d_r152", "152 layers, for 16 frames 4 apart", preset(152));
}
