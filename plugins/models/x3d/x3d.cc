#include "kinema/plugin.h"
#include "network.h"

namespace kinema::x3d {
namespace {

using O = X3dOptions;
using blocks::HeadActivation;

Options<O> options() {
  return Options<O>()
      .add("width_factor", &O::width_factor, "channels, times those of the smallest network (gamma_w)",
           above(0))
      .add("depth_factor", &O::depth_factor, "residual blocks, times 1, 2, 5, 3 in the stages (gamma_d)",
           above(0))
      .add("bottleneck_factor", &O::bottleneck_factor,
           "channels inside a residual block, times those around it (gamma_b)", above(0))
      .add("stem_width", &O::stem_width, "channels of the stem, before width_factor", at_least(1))
      .add("head_width", &O::head_width, "channels of the layer before the classifier", at_least(1))
      .add("se_ratio", &O::se_ratio,
           "channels inside squeeze-excitation, times those around it; 0: no squeeze-excitation",
           between(0, 1))
      .add("channelwise", &O::channelwise, "3x3x3 convolutions look at one channel each")
      .add("scale_res2", &O::scale_res2, "the first stage has twice the channels of the stem")
      .add("head_norm", &O::head_norm, "batch norm in the layer before the classifier")
      .add("zero_init_last_norm", &O::zero_init_last_norm,
           "residual blocks begin as identity: the last batch norm of each starts at 0")
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("frames", &O::frames,
           "frames of the training clips; longer clips are classified at several places and the "
           "probabilities averaged; 0: every clip is seen whole",
           at_least(0))
      .add("crop", &O::crop,
           "side of the training clips in pixels; larger clips are classified at several places and the "
           "probabilities averaged",
           at_least(32))
      .add_enum("activation", &O::activation, "from logits to probabilities in eval mode",
                {{"softmax", HeadActivation::softmax}, {"sigmoid", HeadActivation::sigmoid}})
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check([](const O& o) {
        std::vector<std::string> wrong;
        if (o.bottleneck_factor * o.width_factor * static_cast<double>(o.stem_width) < 1)
          wrong.push_back(
              "no channels are left: expected bottleneck_factor x width_factor x stem_width of at least 1");
        return wrong;
      });
}

std::shared_ptr<Model> make(const O& o, Context& context) { return make_x3d(o, context.num_classes()); }

Value preset(double depth_factor, int crop) {
  return Value::table(
      {{"width_factor", 2.0}, {"depth_factor", depth_factor}, {"bottleneck_factor", 2.25}, {"crop", crop}});
}

constexpr const char* kZoo = "facebookresearch/SlowFast, MODEL_ZOO.md";

}  // namespace
}  // namespace kinema::x3d

KINEMA_PLUGIN("x3d", "1.0", "small networks expanded along one axis at a time") {
  using namespace kinema::x3d;
  registrar.add<kinema::Model>("x3d", "X3D, an efficient network for clips", options(), make)
      .preset("x3d_xs", "X3D-XS, for 4 frames 12 apart of 160 pixels", preset(2.2, 160))
      .weights("x3d_xs.pyth", kZoo)
      .preset("x3d_s", "X3D-S, for 13 frames 6 apart of 160 pixels", preset(2.2, 160))
      .weights("x3d_s.pyth", kZoo)
      .preset("x3d_m", "X3D-M, for 16 frames 5 apart of 224 pixels", preset(2.2, 224))
      .weights("x3d_m.pyth", kZoo)
      .preset("x3d_l", "X3D-L, for 16 frames 5 apart of 312 pixels", preset(5, 312))
      .weights("x3d_l.pyth", kZoo);
}
