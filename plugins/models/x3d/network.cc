#include "network.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "blocks/bottleneck.h"
#include "blocks/clip_input.h"
#include "blocks/pathway_stage.h"
#include "blocks/resnet_init.h"
#include "blocks/squeeze_excitation.h"
#include "bottleneck.h"
#include "head.h"
#include "keys.h"

namespace kinema::x3d {
namespace {

using blocks::PathwayStage;
using blocks::round_channels;

struct StagePlan {
  std::int64_t blocks = 0, inner = 0, out = 0;
};

// The table of the paper: 1, 2, 5, 3 blocks times depth_factor; each stage doubles the channels.
std::array<StagePlan, 4> plan_stages(const X3dOptions& o) {
  constexpr std::array<int, 4> kBlocks = {1, 2, 5, 3};
  std::array<StagePlan, 4> stages;
  std::int64_t width = o.scale_res2 ? round_channels(o.stem_width, 2, 8) : o.stem_width;
  for (std::size_t s = 0; s < stages.size(); ++s) {
    if (s > 0) width = round_channels(width, 2, 8);
    stages[s].blocks = static_cast<std::int64_t>(std::ceil(o.depth_factor * kBlocks[s]));
    stages[s].out = round_channels(width, o.width_factor);
    stages[s].inner = static_cast<std::int64_t>(o.bottleneck_factor * static_cast<double>(stages[s].out));
  }
  return stages;
}

std::shared_ptr<Layer> make_stem(std::int64_t channels, std::int64_t width) {
  auto stem = std::make_shared<Sequential>();
  stem->add(blocks::same_conv(channels, width, {1, 3, 3}, {1, 2, 2}), "conv_xy")
      .add(std::make_shared<Conv3d>(Conv3dOptions{.in = width,
                                                  .out = width,
                                                  .kernel = {5, 1, 1},
                                                  .padding = {2, 0, 0},
                                                  .groups = width,
                                                  .bias = false}),
           "conv")
      .add(std::make_shared<BatchNorm>(width), "bn")
      .add(std::make_shared<Relu>(true), "relu");
  return stem;
}

// Every second block has squeeze-excitation, from the first on.
std::int64_t squeeze(const X3dOptions& o, std::int64_t inner, std::int64_t block) {
  if (o.se_ratio == 0 || block % 2 == 1) return 0;
  return round_channels(inner, o.se_ratio, 8, 8);
}

class X3d final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  X3d(const X3dOptions& options, std::int64_t classes);
  Output forward(const ClipBatch& batch) override { return head_->classify(features(batch)[0]); }
  std::vector<at::Tensor> features(const ClipBatch& batch) override;
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "head.projection"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return key_maps(bare_shortcuts_); }

 private:
  void add_stage(std::size_t number, const StagePlan& plan);

  X3dOptions options_;
  std::int64_t channels_ = 0;  // behind the last part added
  std::vector<std::string> bare_shortcuts_;
  std::vector<Child<PathwayStage>> stages_;
  Child<Head> head_;
};

X3d::X3d(const X3dOptions& o, std::int64_t classes) : options_(o) {
  channels_ = round_channels(o.stem_width, o.width_factor);
  auto stem = std::make_shared<PathwayStage>(1);
  stem->add(0, "stem", make_stem(blocks::channels_of(o.modality), channels_));
  stages_.push_back(child_of<PathwayStage>("s1", stem));
  const std::array<StagePlan, 4> stages = plan_stages(o);
  for (std::size_t s = 0; s < stages.size(); ++s) add_stage(s + 2, stages[s]);
  head_ = child<Head>("head", HeadOptions{.in = channels_,
                                          .inner = stages.back().inner,
                                          .out = o.head_width,
                                          .classes = classes,
                                          .norm = o.head_norm,
                                          .dropout = o.dropout,
                                          .activation = o.activation,
                                          .frames = o.frames,
                                          // Five layers halve the map, rounding up.
                                          .side = (o.crop + 31) / 32});
  channels_ = stages.back().inner;
  blocks::init_resnet(*this);
  if (!o.zero_init_last_norm) return;
  for (const auto& [path, module] : modules())
    if (auto* bottleneck = dynamic_cast<Bottleneck*>(module))
      init::constant(bottleneck->last_norm().weight(), 0);
}

void X3d::add_stage(std::size_t number, const StagePlan& plan) {
  const std::string name = std::string("s").append(std::to_string(number));
  auto stage = std::make_shared<PathwayStage>(1);
  for (std::int64_t b = 0; b < plan.blocks; ++b) {
    if (b == 0 && channels_ == plan.out) bare_shortcuts_.push_back(name + ".pathway0_res0");
    const BottleneckOptions block{.in = channels_,
                                  .inner = plan.inner,
                                  .out = plan.out,
                                  .stride = b == 0 ? 2 : 1,
                                  .groups = options_.channelwise ? plan.inner : 1,
                                  .squeeze = squeeze(options_, plan.inner, b)};
    stage->add(0, std::string("res").append(std::to_string(b)), std::make_shared<Bottleneck>(block));
    channels_ = plan.out;
  }
  stages_.push_back(child_of<PathwayStage>(name, stage));
}

std::vector<at::Tensor> X3d::features(const ClipBatch& batch) {
  std::vector<at::Tensor> x = {blocks::checked_clip(batch, options_.modality)};
  for (const Child<PathwayStage>& stage : stages_) x = stage(x);
  return {head_->conv5(x[0])};
}

}  // namespace

std::shared_ptr<Model> make_x3d(const X3dOptions& options, std::int64_t classes) {
  return std::make_shared<X3d>(options, classes);
}

}  // namespace kinema::x3d
