#include "blocks/pathway_resnet.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/linspace.h>

#include <algorithm>
#include <limits>

#include "blocks/bottleneck.h"
#include "blocks/clip_input.h"
#include "blocks/nonlocal.h"
#include "blocks/pathway_keys.h"
#include "blocks/pathway_stage.h"
#include "blocks/resnet_init.h"
#include "blocks/roi_head.h"
#include "kinema/error.h"

namespace kinema::blocks {
namespace {

// Appended to, because g++ 12 warns of an overlap in "s" + std::to_string().
std::string part_name(std::size_t number) { return std::string("s").append(std::to_string(number)); }

std::shared_ptr<Layer> make_stem(const Pathway& p, std::int64_t channels) {
  auto stem = std::make_shared<Sequential>();
  stem->add(same_conv(channels, p.width, {p.stem_frames, 7, 7}, {p.stem_stride, 2, 2}), "conv")
      .add(std::make_shared<BatchNorm>(p.width), "bn")
      .add(std::make_shared<Relu>(true), "relu")
      .add(std::make_shared<MaxPool3d>(Pool3dOptions{.kernel = {1, 3, 3},
                                                     .stride = {p.stem_stride, 2, 2},
                                                     .padding = {0, p.pool_padding, p.pool_padding}}),
           "pool_layer");
  return stem;
}

std::int64_t temporal_kernel(const Pathway& p, std::size_t stage, std::int64_t block) {
  if (stage == 2 && p.temporal_blocks > 0 && block >= p.temporal_blocks) return 1;
  const std::vector<std::int64_t>& pattern = p.kernels.at(stage);
  return pattern[static_cast<std::size_t>(block) % pattern.size()];
}

bool follows(const PathwayResnetPlan& plan, std::size_t stage, std::int64_t block) {
  const ResnetOptions& o = plan.options;
  if (o.nonlocal == NonLocalKind::none) return false;
  const auto& places = o.nonlocal_blocks.empty() ? plan.nonlocal_places : o.nonlocal_blocks;
  return std::count(places.at(stage).begin(), places.at(stage).end(), block) > 0;
}

std::shared_ptr<NonLocal> make_nonlocal(const ResnetOptions& o, std::int64_t channels) {
  const std::vector<std::int64_t>& pool = o.nonlocal_pool;
  return std::make_shared<NonLocal>(NonLocalOptions{
      .channels = channels,
      .inner = channels / 2,
      .affinity = o.nonlocal == NonLocalKind::softmax ? Affinity::softmax : Affinity::dot_product,
      .pool = {pool[0], pool[1], pool[2]}});
}

void zero_last_norms(Module& network) {
  for (const auto& [path, module] : network.modules()) {
    if (auto* bottleneck = dynamic_cast<Bottleneck*>(module))
      init::constant(bottleneck->last_norm().weight(), 0);
    if (auto* nonlocal = dynamic_cast<NonLocal*>(module)) init::constant(nonlocal->last_norm().weight(), 0);
  }
}

class PathwayResnet final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  PathwayResnet(const PathwayResnetPlan& plan, std::int64_t classes);
  Output forward(const ClipBatch& batch) override;
  std::vector<at::Tensor> features(const ClipBatch& batch) override;
  std::vector<std::int64_t> feature_channels() const override { return channels_; }
  std::string head() const override { return "head"; }
  std::vector<KeyMap> checkpoint_key_maps() const override {
    return pathway_key_maps(
        {.two_pathways = two_pathways(), .pool_frames = static_cast<bool>(pool_), .mmaction2 = mmaction2()});
  }

 private:
  bool two_pathways() const { return plan_.pathways.size() > 1; }
  bool mmaction2() const { return plan_.arrangement == Arrangement::mmaction2; }
  void check_size(const at::Tensor& clip) const;
  void add_stem();
  void add_stage(std::size_t stage);
  void add_fusion(std::size_t stage);
  void add_head(std::int64_t classes);
  std::vector<at::Tensor> pathways_of(const at::Tensor& clip) const;

  PathwayResnetPlan plan_;
  std::vector<std::int64_t> channels_;  // of each pathway behind the last part added
  std::vector<Child<PathwayStage>> stages_;
  std::vector<Child<Fusion>> fusions_;
  Child<MaxPool3d> pool_;
  Child<PathwayHead> head_;
  Child<RoiHead> roi_head_;
};

PathwayResnet::PathwayResnet(const PathwayResnetPlan& plan, std::int64_t classes) : plan_(plan) {
  add_stem();
  for (std::size_t stage = 0; stage < 4; ++stage) {
    if (two_pathways()) add_fusion(stage);
    add_stage(stage);
  }
  add_head(classes);
  init_resnet(*this);
  if (plan.options.zero_init_last_norm) zero_last_norms(*this);
}

void PathwayResnet::add_stem() {
  auto stem = std::make_shared<PathwayStage>(plan_.pathways.size());
  for (std::size_t p = 0; p < plan_.pathways.size(); ++p) {
    stem->add(p, "stem", make_stem(plan_.pathways[p], blocks::channels_of(plan_.options.modality)));
    channels_.push_back(plan_.pathways[p].width);
  }
  stages_.push_back(child_of<PathwayStage>("s1", stem));
}

void PathwayResnet::add_stage(std::size_t s) {
  const ResnetOptions& o = plan_.options;
  const bool dilated = o.detection && s == 3;
  auto stage = std::make_shared<PathwayStage>(plan_.pathways.size());
  for (std::size_t p = 0; p < plan_.pathways.size(); ++p) {
    const std::int64_t inner = plan_.pathways[p].width << s;
    for (std::int64_t b = 0; b < blocks_per_stage(o)[s]; ++b) {
      const std::string number = std::to_string(b);
      stage->add(p, "res" + number,
                 std::make_shared<Bottleneck>(
                     BottleneckOptions{.in = channels_[p],
                                       .inner = inner,
                                       .out = inner * 4,
                                       .temporal_kernel = temporal_kernel(plan_.pathways[p], s, b),
                                       .stride = s > 0 && b == 0 && !dilated ? 2 : 1,
                                       .dilation = dilated ? 2 : 1}));
      channels_[p] = inner * 4;
      if (p == 0 && follows(plan_, s, b)) stage->add(p, "nonlocal" + number, make_nonlocal(o, inner * 4));
    }
  }
  stages_.push_back(child_of<PathwayStage>(part_name(s + 2), stage));
  if (s == 0 && plan_.pool_frames)
    pool_ = child<MaxPool3d>("pathway0_pool", Pool3dOptions{.kernel = {2, 1, 1}, .stride = {2, 1, 1}});
}

void PathwayResnet::add_fusion(std::size_t before_stage) {
  const FusionOptions fusion{.fast_channels = channels_[1],
                             .out = channels_[1] * plan_.fusion_ratio,
                             .kernel = plan_.fusion_kernel,
                             .alpha = plan_.alpha,
                             .bare = mmaction2()};
  fusions_.push_back(child<Fusion>(part_name(before_stage + 1).append("_fuse"), fusion));
  channels_[0] += fusion.out;
}

void PathwayResnet::add_head(std::int64_t classes) {
  const ResnetOptions& o = plan_.options;
  PathwayHeadOptions head{.classes = classes, .dropout = o.dropout, .activation = o.activation};
  for (const std::int64_t channels : channels_) head.in += channels;
  // Five layers halve the map, rounding up.
  head.window = mmaction2() ? std::numeric_limits<std::int64_t>::max() : (o.crop + 31) / 32;
  if (o.detection)
    roi_head_ = child<RoiHead>("head", head, RoiAlignOptions{.scale = 1.0 / 16});
  else
    head_ = child<PathwayHead>("head", head);
}

void PathwayResnet::check_size(const at::Tensor& clip) const {
  const std::int64_t frames = clip.size(2), side = std::min(clip.size(3), clip.size(4));
  const std::int64_t unit = two_pathways() ? plan_.alpha : 1, stride = plan_.pathways[0].stem_stride;
  // Frames that reach the pool over frames, which needs two.
  const std::int64_t least = pool_ ? stride * stride + 1 : unit;
  if (frames < least || frames % unit != 0)
    throw Error(ErrorKind::run, "clip " + plan_.options.modality,
                "wrong number of frames: expected " +
                    (two_pathways() ? "a multiple of alpha = " + std::to_string(unit)
                                    : "at least " + std::to_string(least)) +
                    ", got " + std::to_string(frames));
  // Without padding the stem's pool needs a map of three.
  const std::int64_t shortest = plan_.pathways[0].pool_padding == 0 ? 5 : 1;
  if (side < shortest)
    throw Error(ErrorKind::run, "clip " + plan_.options.modality,
                "too small: expected at least " + std::to_string(shortest) + " pixels on each side, got " +
                    std::to_string(clip.size(3)) + " x " + std::to_string(clip.size(4)));
}

std::vector<at::Tensor> PathwayResnet::pathways_of(const at::Tensor& clip) const {
  check_size(clip);
  if (!two_pathways()) return {clip};
  const std::int64_t frames = clip.size(2);
  const at::Tensor slow = mmaction2()
                              ? at::arange(0, frames, plan_.alpha, at::kLong)
                              : at::linspace(0, frames - 1, frames / plan_.alpha, at::kFloat).to(at::kLong);
  return {clip.index_select(2, slow.to(clip.device())), clip};
}

std::vector<at::Tensor> PathwayResnet::features(const ClipBatch& batch) {
  std::vector<at::Tensor> x = pathways_of(checked_clip(batch, plan_.options.modality));
  for (std::size_t s = 0; s < stages_.size(); ++s) {
    x = stages_[s](x);
    if (s < fusions_.size()) x = fusions_[s](x);
    if (s == 1 && pool_) x[0] = pool_(x[0]);
  }
  return x;
}

Output PathwayResnet::forward(const ClipBatch& batch) {
  std::vector<at::Tensor> x = features(batch);
  if (roi_head_) return roi_head_(x, batch.boxes);
  if (mmaction2()) std::reverse(x.begin(), x.end());
  return head_(x);
}

}  // namespace

std::shared_ptr<Model> make_pathway_resnet(const PathwayResnetPlan& plan, std::int64_t classes) {
  return std::make_shared<PathwayResnet>(plan, classes);
}

}  // namespace kinema::blocks
