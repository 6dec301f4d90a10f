#include "blocks/pathway_resnet.h"
#include "kinema/plugin.h"

namespace kinema::i3d {
namespace {

// Whose network is inflated, with its arrangement of layers and parameter names.
enum class Layout { resnet };

struct I3dOptions : blocks::ResnetOptions {
  Layout layout = Layout::resnet;
  bool pool_frames = true;
};
using O = I3dOptions;

Options<O> options() {
  Options<O> options;
  options.add_enum("layout", &O::layout, "the image network that was inflated", {{"resnet", Layout::resnet}});
  blocks::add_resnet_options(options)
      .add("pool_frames", &O::pool_frames, "halve the frames after the first stage")
      .check([](const O& o) { return blocks::problems_of(o); });
  return options;
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  const blocks::Pathway pathway{.width = o.width, .stem_frames = 5, .kernels = {{3}, {3, 1}, {3, 1}, {1, 3}}};
  return blocks::make_pathway_resnet({.options = o,
                                      .pathways = {pathway},
                                      .pool_frames = o.pool_frames,
                                      .nonlocal_places = {{}, {1, 3}, {1, 3, 5}, {}}},
                                     context.num_classes());
}

Value preset(int depth, const char* nonlocal) {
  return Value::table({{"layout", "resnet"}, {"depth", depth}, {"nonlocal", nonlocal}});
}

}  // namespace
}  // namespace kinema::i3d

KINEMA_PLUGIN("i3d", "1.0", "image networks inflated over time") {
  using namespace kinema::i3d;
  registrar.add<kinema::Model>("i3d", "inflated 3D networks", options(), make)
      .preset("i3d_r50", "inflated ResNet-50, for 8 frames 8 apart", preset(50, "none"))
      .preset("i3d_nln_r50", "i3d_r50 with five non-local blocks", preset(50, "softmax"))
      .preset("i3d_r101", "inflated ResNet-101, for 8 frames 8 apart", preset(101, "none"))
      .preset("i3d_nln_r101", "i3d_r101 with five non-local blocks", preset(101, "softmax"));
}
