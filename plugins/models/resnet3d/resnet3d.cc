#include "kinema/plugin.h"
#include "options.h"
#include "torchvision.h"

namespace kinema::resnet3d {

std::vector<std::int64_t> blocks_per_stage(const Resnet3dOptions& options) {
  if (!options.blocks.empty()) return options.blocks;
  if (options.depth == 10) return {1, 1, 1, 1};
  if (options.depth == 34) return {3, 4, 6, 3};
  return {2, 2, 2, 2};
}

namespace {

using O = Resnet3dOptions;

Options<O> options() {
  return Options<O>()
      .add_enum("layout", &O::layout, "whose arrangement of layers and parameter names",
                {{"torchvision", Layout::torchvision}})
      .add_enum(
          "block", &O::block,
          "convolutions of a residual block: 3x3x3; 3x3x3 in the first stage, then 1x3x3; 1x3x3 and 3x1x1",
          {{"basic3d", Block::basic3d}, {"mixed", Block::mixed}, {"2plus1d", Block::factored}})
      .add("depth", &O::depth, "number of layers", one_of(10, 18, 34))
      .add("blocks", &O::blocks, "residual blocks of each stage; overrides depth", each(at_least(1)))
      .add("width", &O::width, "channels of the first stage; each stage doubles them", at_least(1))
      .add_enum("stem", &O::stem, "first layer: 3x7x7, or 1x7x7 and 3x1x1",
                {{"basic", Stem::basic}, {"r2plus1d", Stem::factored}})
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check([](const O& o) {
        std::vector<std::string> wrong;
        if (o.blocks.size() > 4)
          wrong.push_back("too many stages: expected 1 to 4 numbers in blocks, got " +
                          std::to_string(o.blocks.size()));
        return wrong;
      });
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  return make_torchvision(o, context.num_classes());
}

Value preset(const char* block, const char* stem, int depth) {
  return Value::table({{"layout", "torchvision"}, {"block", block}, {"stem", stem}, {"depth", depth}});
}

}  // namespace
}  // namespace kinema::resnet3d

KINEMA_PLUGIN("resnet3d", "1.0", "3D residual networks for short clips") {
  using namespace kinema::resnet3d;
  kinema::Registration& model = registrar.add<kinema::Model>(
      "resnet3d", "3D residual network: R3D, mixed convolutions, R(2+1)D", options(), make);
  for (const int depth : {10, 18, 34}) {
    const std::string layers = std::to_string(depth);
    model.preset("r3d_" + layers, layers + " layers of 3x3x3 convolutions",
                 preset("basic3d", "basic", depth));
    model.preset("mc3_" + layers, layers + " layers, 3x3x3 in the first stage and 1x3x3 after it",
                 preset("mixed", "basic", depth));
    model.preset("r2plus1d_" + layers, layers + " layers of 1x3x3 and 3x1x1 convolutions",
                 preset("2plus1d", "r2plus1d", depth));
  }
}
