#include "hara.h"
#include "kinema/plugin.h"
#include "options.h"
#include "presets.h"
#include "torchvision.h"

namespace kinema::resnet3d {
namespace {

using O = Resnet3dOptions;

Options<O> options() {
  return Options<O>()
      .add_enum("layout", &O::layout,
                "whose arrangement of layers and parameter names: torchvision, or 3D-ResNets-PyTorch (hara)",
                {{"torchvision", Layout::torchvision}, {"hara", Layout::hara}})
      .add_enum(
          "block", &O::block,
          "convolutions of a residual block: 3x3x3; 3x3x3 in the first stage, then 1x3x3 (torchvision); "
          "1x3x3 and 3x1x1; batch norm and ReLU before each (hara); bottlenecks that widen twice only, "
          "and with groups (hara)",
          {{"basic3d", Block::basic3d},
           {"mixed", Block::mixed},
           {"2plus1d", Block::factored},
           {"preact", Block::preact},
           {"wide", Block::wide},
           {"resnext", Block::resnext}})
      .add("depth", &O::depth, "number of layers; from 50 on (hara) blocks are bottlenecks",
           one_of(10, 18, 34, 50, 101, 152, 200))
      .add("blocks", &O::blocks, "residual blocks of each stage, instead of those of depth",
           each(at_least(1)))
      .add("width", &O::width, "channels of the first stage; each stage doubles them", at_least(1))
      .add("widen_factor", &O::widen_factor, "times width, rounded down in each stage (hara)", above(0))
      .add_enum("stem", &O::stem, "first layer: 3x7x7, or 1x7x7 and 3x1x1 (torchvision)",
                {{"basic", Stem::basic}, {"r2plus1d", Stem::factored}})
      .add("stem_frames", &O::stem_frames, "frames of the first convolution's kernel (hara)", at_least(1))
      .add("stem_stride", &O::stem_stride, "stride of the first convolution in time (hara)", at_least(1))
      .add("no_max_pool", &O::no_max_pool,
           "leave out the pool after the first layer, which halves frames, height and width (hara)")
      .add_enum("shortcut", &O::shortcut,
                "where a block changes the shape: B, a 1x1x1 convolution; A, zeros for new channels (hara; "
                "unlike there, gradients pass through A)",
                {{"B", Shortcut::convolution}, {"A", Shortcut::zeros}})
      .add("cardinality", &O::cardinality, "groups of the 3x3x3 convolutions of resnext", at_least(1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check(problems_of);
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  return o.layout == Layout::hara ? make_hara(o, context.num_classes())
                                  : make_torchvision(o, context.num_classes());
}

}  // namespace
}  // namespace kinema::resnet3d

KINEMA_PLUGIN("resnet3d", "1.0", "3D residual networks for short clips") {
  using namespace kinema::resnet3d;
  kinema::Registration& model = registrar.add<kinema::Model>(
      "resnet3d", "3D residual network: R3D, mixed convolutions, R(2+1)D, wide, ResNeXt", options(), make);
  add_torchvision_presets(model);
  add_hara_presets(model);
}
