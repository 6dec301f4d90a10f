#include "blocks/pytorchvideo_resnet.h"
#include "kinema/plugin.h"

namespace kinema::csn {
namespace {

struct CsnOptions : blocks::PytorchvideoResnetOptions {
  bool no_max_pool = false;
};
using O = CsnOptions;

Options<O> options() {
  Options<O> options;
  blocks::add_pytorchvideo_options(options).add(
      "no_max_pool", &O::no_max_pool, "leave out the pool after the stem, which halves height and width");
  return options;
}

// Tran et al. 2019, "Video Classification with Channel-Separated Convolutional Networks": a convolution mixes
// channels (1x1x1) or positions (3x3x3 of each channel), never both.
std::shared_ptr<Model> make(const O& o, Context& context) {
  return blocks::make_pytorchvideo_resnet({.options = o,
                                           .stem_kernel = {3, 7, 7},
                                           .stem_pool = !o.no_max_pool,
                                           .middle = blocks::MiddleConvolution::depthwise,
                                           .strides = {1, 2, 2, 2},
                                           .activation = {}},
                                          context.num_classes());
}

Value preset(int depth) { return Value::table({{"depth", depth}}); }

}  // namespace
}  // namespace kinema::csn

KINEMA_PLUGIN("csn", "1.0", "channel-separated convolutional networks") {
  using namespace kinema::csn;
  registrar
      .add<kinema::Model>("csn", "channel-separated residual networks (ir-CSN) of PyTorchVideo", options(),
                          make)
      .preset("csn_r50", "ir-CSN of 50 layers, for 32 frames 2 apart", preset(50))
      .preset("csn_r101", "ir-CSN of 101 layers, for 32 frames 2 apart", preset(101))
      .weights("CSN_32x2_R101.pyth", "pytorchvideo, docs/source/model_zoo.md")
      .preset("csn_r152", "ir-CSN of 152 layers, for 32 frames 2 apart", preset(152));
}
