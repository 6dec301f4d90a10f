#include "blocks/pytorchvideo_resnet.h"

#include <ATen/ops/avg_pool3d.h>

#include <algorithm>

#include "blocks/bottleneck.h"
#include "blocks/clip_input.h"
#include "blocks/least_clip.h"
#include "blocks/resnet_init.h"
#include "blocks/stage.h"

namespace kinema::blocks {
namespace {

std::vector<std::int64_t> counts_of(const PytorchvideoResnetOptions& o) {
  if (!o.blocks.empty()) return o.blocks;
  if (o.depth == 101) return {3, 4, 23, 3};
  if (o.depth == 152) return {3, 8, 36, 3};
  return {3, 4, 6, 3};
}

std::shared_ptr<Sequential> make_stem(const PytorchvideoResnetPlan& plan) {
  const PytorchvideoResnetOptions& o = plan.options;
  auto stem = std::make_shared<Sequential>();
  stem->add(same_conv(channels_of(o.modality), o.width, plan.stem_kernel, {1, 2, 2}), "conv")
      .add(std::make_shared<BatchNorm>(o.width), "norm")
      .add(std::make_shared<Relu>(true), "activation");
  if (plan.stem_pool)
    stem->add(std::make_shared<MaxPool3d>(
                  Pool3dOptions{.kernel = {1, 3, 3}, .stride = {1, 2, 2}, .padding = {0, 1, 1}}),
              "pool");
  return stem;
}

// The reference's list of parts; it only gives them their names.
class Parts final : public Module {
 public:
  using Module::child_of;
};

class Head final : public Module {
 public:
  Head(const PytorchvideoResnetPlan& plan, std::int64_t in, std::int64_t classes)
      : pool_(plan.options.head_pool),
        activation_(plan.activation),
        dropout_(child<Dropout>("dropout", plan.options.dropout)),
        proj_(child<Linear>("proj", in, classes)) {}

  Output operator()(const at::Tensor& map) {
    std::array<std::int64_t, 3> window;
    for (std::size_t d = 0; d < 3; ++d)
      window[d] = std::min(pool_[d], map.size(static_cast<std::int64_t>(d) + 2));
    const at::Tensor pooled = at::avg_pool3d(map, window, 1).permute({0, 2, 3, 4, 1});
    const at::Tensor logits = proj_(dropout_(pooled));
    Output output{mean_of_positions(logits), {}};
    if (activation_ && !training())
      output.extra["probabilities"] = mean_of_positions(activate(logits, *activation_));
    return output;
  }

 private:
  // [N, T, H, W, C] -> [N, C]
  static at::Tensor mean_of_positions(const at::Tensor& x) { return x.mean(at::IntArrayRef({1, 2, 3})); }

  std::vector<std::int64_t> pool_;
  std::optional<HeadActivation> activation_;
  Child<Dropout> dropout_;
  Child<Linear> proj_;
};

class PytorchvideoResnet final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  PytorchvideoResnet(const PytorchvideoResnetPlan& plan, std::int64_t classes)
      : modality_(plan.options.modality), parts_(child<Parts>("blocks")) {
    rows_.push_back(parts_->child_of<Layer>("0", make_stem(plan)));
    channels_ = plan.options.width;
    for (std::size_t s = 0; s < 4; ++s) add_stage(plan, s);
    head_ = parts_->child_of<Head>("5", std::make_shared<Head>(plan, channels_, classes));
    init_resnet(*this);
    if (!plan.options.zero_init_last_norm) return;
    for (const auto& [path, module] : modules())
      if (auto* block = dynamic_cast<PytorchvideoBlock*>(module))
        init::constant(block->last_norm().weight(), 0);
  }

  Output forward(const ClipBatch& batch) override { return head_(maps(batch)); }
  std::vector<at::Tensor> features(const ClipBatch& batch) override { return {maps(batch)}; }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "blocks.5"; }
  std::vector<KeyMap> checkpoint_key_maps() const override {
    return {{"pytorchvideo", {{"^model\\.", ""}}}};  // of copies that others publish
  }

 private:
  void add_stage(const PytorchvideoResnetPlan& plan, std::size_t s) {
    const std::int64_t inner = plan.options.width << s;
    auto stage = std::make_shared<Stage>();
    for (std::int64_t b = 0; b < counts_of(plan.options)[s]; ++b, channels_ = 4 * inner)
      stage->add(std::make_shared<PytorchvideoBlock>(
          PytorchvideoBlockOptions{.in = channels_,
                                   .inner = inner,
                                   .out = 4 * inner,
                                   .stride = b == 0 ? plan.strides[s] : Extent<3>(1),
                                   .middle = plan.middle}));
    auto part = std::make_shared<Sequential>();
    part->add(stage, "res_blocks");
    rows_.push_back(parts_->child_of<Layer>(std::to_string(s + 1), part));
  }

  at::Tensor maps(const ClipBatch& batch) {
    at::Tensor x = clip_of_at_least(batch, modality_, 1);
    for (const Child<Layer>& row : rows_) x = row(x);
    return x;
  }

  std::string modality_;
  std::int64_t channels_ = 0;  // behind the last part added
  Child<Parts> parts_;
  std::vector<Child<Layer>> rows_;
  Child<Head> head_;
};

}  // namespace

std::vector<std::string> problems_of(const PytorchvideoResnetOptions& o) {
  if (o.blocks.empty() || o.blocks.size() == 4) return {};
  return {"wrong number of stages: expected 4 numbers in blocks, got " + std::to_string(o.blocks.size())};
}

std::shared_ptr<Model> make_pytorchvideo_resnet(const PytorchvideoResnetPlan& plan, std::int64_t classes) {
  return std::make_shared<PytorchvideoResnet>(plan, classes);
}

}  // namespace kinema::blocks
