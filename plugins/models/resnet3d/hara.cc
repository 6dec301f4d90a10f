#include "hara.h"

#include "blocks/clip_input.h"
#include "blocks/least_clip.h"
#include "blocks/resnet_init.h"
#include "blocks/stage.h"
#include "hara_block.h"
#include "kinema/layers.h"

namespace kinema::resnet3d {
namespace {

class HaraResnet final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  HaraResnet(const Resnet3dOptions& o, std::int64_t classes) : modality_(o.modality) {
    for (const auto& [name, conv] : stem_convolutions(o, blocks::channels_of(o.modality))) {
      convs_.push_back(child<Conv3d>("conv" + name, conv));
      norms_.push_back(child<BatchNorm>("bn" + name, conv.out));
    }
    relu_ = child<Relu>("relu", true);
    if (!o.no_max_pool)
      maxpool_ = child<MaxPool3d>("maxpool", Pool3dOptions{.kernel = 3, .stride = 2, .padding = 1});
    add_stages(o);
    avgpool_ = child<AdaptiveAvgPool3d>("avgpool");
    dropout_ = child<Dropout>("dropout", o.dropout);
    fc_ = child<Linear>("fc", channels_, classes);
    blocks::init_convolutions(*this);
  }

  Output forward(const ClipBatch& batch) override {
    return {fc_(dropout_(avgpool_(maps(batch)).flatten(1))), {}};
  }
  std::vector<at::Tensor> features(const ClipBatch& batch) override { return {maps(batch)}; }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "fc"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"3d_resnets", {}}}; }

 private:
  void add_stages(const Resnet3dOptions& o) {
    const std::vector<std::int64_t> counts = blocks_per_stage(o), planes = planes_per_stage(o);
    channels_ = planes[0];
    for (std::size_t s = 0; s < counts.size(); ++s) {
      auto stage = std::make_shared<blocks::Stage>();
      for (std::int64_t b = 0; b < counts[s]; ++b) {
        stage->add(make_block(o, {.in = channels_, .planes = planes[s], .stride = s > 0 && b == 0 ? 2 : 1}));
        channels_ = block_channels(o, planes[s]);
      }
      stages_.push_back(child_of<blocks::Stage>("layer" + std::to_string(s + 1), stage));
    }
  }

  at::Tensor maps(const ClipBatch& batch) {
    at::Tensor x = blocks::clip_of_at_least(batch, modality_, 1);
    for (std::size_t i = 0; i < convs_.size(); ++i) x = relu_(norms_[i](convs_[i](x)));
    if (maxpool_) x = maxpool_(x);
    for (const auto& stage : stages_) x = stage(x);
    return x;
  }

  std::string modality_;
  std::int64_t channels_ = 0;  // behind the last part added
  std::vector<Child<Conv3d>> convs_;
  std::vector<Child<BatchNorm>> norms_;
  Child<Relu> relu_;
  Child<MaxPool3d> maxpool_;
  std::vector<Child<blocks::Stage>> stages_;
  Child<AdaptiveAvgPool3d> avgpool_;
  Child<Dropout> dropout_;
  Child<Linear> fc_;
};

}  // namespace

std::shared_ptr<Model> make_hara(const Resnet3dOptions& options, std::int64_t classes) {
  return std::make_shared<HaraResnet>(options, classes);
}

}  // namespace kinema::resnet3d
