#include "options.h"

#include "kinema/plugin.h"

namespace kinema::slowfast {
namespace {

using O = SlowfastOptions;
using blocks::Arrangement;
using blocks::Pathway;

std::vector<std::string> problems(const O& o) {
  std::vector<std::string> wrong = blocks::problems_of(o);
  if (o.width % o.beta != 0 && o.architecture == Architecture::slowfast)
    wrong.push_back("wrong beta: expected a divisor of width = " + std::to_string(o.width) + ", got " +
                    std::to_string(o.beta));
  if (o.layout == Arrangement::mmaction2 && o.detection)
    wrong.push_back("wrong layout: expected \"pyslowfast\" with detection, got \"mmaction2\"");
  if (o.layout == Arrangement::mmaction2 && o.crop != O().crop)
    wrong.push_back("crop has no effect: expected it only with layout = \"pyslowfast\"");
  if (o.fusion_kernel % 2 == 0)
    wrong.push_back("wrong fusion_kernel: expected an odd number, got " + std::to_string(o.fusion_kernel));
  if (o.temporal_blocks.size() > 2)
    wrong.push_back("too many numbers in temporal_blocks: expected one for each pathway, got " +
                    std::to_string(o.temporal_blocks.size()));
  return wrong;
}

Options<O> options() {
  Options<O> options;
  options.add_enum(
      "architecture", &O::architecture,
      "one pathway: c2d (kernels of one frame, then a pool over time), slow_c2d (no pool), slow (three "
      "frames in the last two stages); slowfast: slow and a fast, narrow pathway",
      {{"c2d", Architecture::c2d},
       {"slow_c2d", Architecture::slow_c2d},
       {"slow", Architecture::slow},
       {"slowfast", Architecture::slowfast}});
  options.add_enum("layout", &O::layout,
                   "whose details; in mmaction2 lateral connections are bare convolutions, the slow pathway "
                   "sees every alpha-th frame, and the classifier the mean of the whole map",
                   {{"pyslowfast", Arrangement::pyslowfast}, {"mmaction2", Arrangement::mmaction2}});
  blocks::add_resnet_options(options)
      .add("alpha", &O::alpha, "frames of the fast pathway per frame of the slow one", at_least(1))
      .add("beta", &O::beta, "how many times fewer channels the fast pathway has", at_least(1))
      .add("fusion_kernel", &O::fusion_kernel, "frames of the convolution from the fast to the slow pathway",
           at_least(1))
      .add("fusion_ratio", &O::fusion_ratio, "channels of that convolution per channel of the fast pathway",
           at_least(1))
      .add(
          "temporal_blocks", &O::temporal_blocks,
          "blocks of the third stage, of the slow and of the fast pathway, that see three frames; empty: all",
          each(at_least(1)))
      .check(problems);
  return options;
}

Pathway pathway(std::int64_t width, std::int64_t stem_frames, const std::vector<std::int64_t>& kernels) {
  Pathway p{.width = width, .stem_frames = stem_frames};
  for (const std::int64_t kernel : kernels) p.kernels.push_back({kernel});
  return p;
}

std::vector<Pathway> pathways(const O& o) {
  const bool flat = o.architecture == Architecture::c2d || o.architecture == Architecture::slow_c2d;
  std::vector<Pathway> all = {pathway(
      o.width, 1, flat ? std::vector<std::int64_t>{1, 1, 1, 1} : std::vector<std::int64_t>{1, 1, 3, 3})};
  if (o.architecture == Architecture::slowfast) all.push_back(pathway(o.width / o.beta, 5, {3, 3, 3, 3}));
  // The image network that MMAction2 calls C2D does not pad where it pools.
  if (o.layout == Arrangement::mmaction2 && o.architecture == Architecture::c2d) all[0].pool_padding = 0;
  for (std::size_t p = 0; p < std::min(all.size(), o.temporal_blocks.size()); ++p)
    all[p].temporal_blocks = o.temporal_blocks[p];
  return all;
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  blocks::PathwayResnetPlan plan{.options = o,
                                 .pathways = pathways(o),
                                 .pool_frames = o.architecture == Architecture::c2d,
                                 .alpha = o.alpha,
                                 .fusion_kernel = o.fusion_kernel,
                                 .fusion_ratio = o.fusion_ratio,
                                 .nonlocal_places = {{}, {1, 3}, {1, 3, 5}, {}},
                                 .arrangement = o.layout};
  if (o.depth == 101) plan.nonlocal_places = {{}, {}, {6, 13, 20}, {}};
  return blocks::make_pathway_resnet(plan, context.num_classes());
}

Value two_pathways(int depth, int alpha, int fusion_kernel) {
  return Value::table({{"architecture", "slowfast"},
                       {"depth", depth},
                       {"alpha", alpha},
                       {"beta", 8},
                       {"fusion_kernel", fusion_kernel},
                       {"fusion_ratio", 2}});
}

Value with(Value table, std::initializer_list<std::pair<const char*, Value>> more) {
  for (const auto& [key, value] : more) table.set(key, value);
  return table;
}

void add_presets(Registration& model) {
  const auto one = [](const char* name) { return Value::table({{"architecture", name}, {"depth", 50}}); };
  const Value few = Value(Value::Array{6, 6});
  const char* zoo = "facebookresearch/pytorchvideo, docs/source/model_zoo.md";
  model.preset("c2d_r50", "2D ResNet-50, frames pooled after the first stage", one("c2d"))
      .weights("C2D_8x8_R50.pyth", zoo)
      .preset("c2d_nln_r50", "c2d_r50 with five non-local blocks",
              with(one("c2d"), {{"nonlocal", "softmax"}}))
      .preset("slow_4x16_r50", "slow pathway of SlowFast alone, for 4 frames 16 apart", one("slow"))
      .weights("SLOW_4x16_R50.pyth", zoo)
      .preset("slow_8x8_r50", "slow pathway of SlowFast alone, for 8 frames 8 apart", one("slow"))
      .weights("SLOW_8x8_R50.pyth", zoo)
      .preset("slow_nln_8x8_r50", "slow_8x8_r50 with five non-local blocks",
              with(one("slow"), {{"nonlocal", "dot_product"}}))
      .preset("slowfast_4x16_r50", "SlowFast for 32 frames 2 apart, 4 of them slow", two_pathways(50, 8, 5))
      .weights("SLOWFAST_4x16_R50.pyth", zoo)
      .preset("slowfast_8x8_r50", "SlowFast for 32 frames 2 apart, 8 of them slow", two_pathways(50, 4, 7))
      .weights("SLOWFAST_8x8_R50.pyth", zoo)
      .preset("slowfast_8x8_r101", "SlowFast of 101 layers for 32 frames 2 apart, 8 of them slow",
              two_pathways(101, 4, 5))
      .weights("SLOWFAST_8x8_R101.pyth", zoo)
      .preset("slowfast_8x8_r101_50_50", "slowfast_8x8_r101, kernels over time as many as with 50 layers",
              with(two_pathways(101, 4, 5), {{"temporal_blocks", few}}))
      .preset("slowfast_16x8_r101", "SlowFast of 101 layers for 64 frames 2 apart, 16 of them slow",
              with(two_pathways(101, 4, 5), {{"temporal_blocks", few}}))
      .weights("SLOWFAST_16x8_R101_50_50.pyth", zoo)
      .preset("ava_slow_4x16_r50", "slow_4x16_r50 for the classes of boxes",
              with(one("slow"), {{"detection", true}, {"activation", "sigmoid"}}))
      .weights("SLOW_4x16_R50_DETECTION.pyth", zoo)
      .preset("ava_slowfast_32x2_r50", "slowfast_8x8_r50 for the classes of boxes",
              with(two_pathways(50, 4, 7), {{"detection", true}, {"activation", "sigmoid"}}))
      .weights("SLOWFAST_8x8_R50_DETECTION.pyth", zoo)
      .preset("mmaction2_slowfast_4x16_r50", "slowfast_4x16_r50 with the details of MMAction2",
              with(two_pathways(50, 8, 5), {{"layout", "mmaction2"}}))
      .preset("mmaction2_slowfast_8x8_r50", "slowfast_8x8_r50 with the details of MMAction2",
              with(two_pathways(50, 4, 7), {{"layout", "mmaction2"}}));
}

}  // namespace
}  // namespace kinema::slowfast

KINEMA_PLUGIN("slowfast", "1.0", "residual networks with a slow and a fast pathway, and of one pathway") {
  using namespace kinema::slowfast;
  add_presets(registrar.add<kinema::Model>(
      "slowfast", "SlowFast, Slow and C2D residual networks, for clips or boxes", options(), make));
}
