#include "network.h"

#include <string>

#include "blocks/clip_input.h"
#include "kinema/error.h"
#include "vision_transformer.h"

namespace kinema::timesformer {
namespace {

class Timesformer final : public Model, public HasFeatures, public HasKeyMaps {
 public:
  Timesformer(const TimesformerOptions& o, std::int64_t classes)
      : options_(o), model_(child<VisionTransformer>("model", o, classes)) {}

  Output forward(const ClipBatch& batch) override { return {model_->classify(fitting_clip(batch)), {}}; }

  std::vector<at::Tensor> features(const ClipBatch& batch) override {
    return {model_->features(fitting_clip(batch))};
  }
  std::vector<std::int64_t> feature_channels() const override { return {options_.embed_dim}; }
  std::string head() const override { return "model.head"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"timesformer", {}}}; }

 private:
  const at::Tensor& fitting_clip(const ClipBatch& batch) const;

  TimesformerOptions options_;
  Child<VisionTransformer> model_;
};

const at::Tensor& Timesformer::fitting_clip(const ClipBatch& batch) const {
  const at::Tensor& clip = blocks::checked_clip(batch, options_.modality);
  if (clip.size(3) >= options_.patch_size && clip.size(4) >= options_.patch_size) return clip;
  const std::string side = std::to_string(options_.patch_size);
  throw Error(ErrorKind::run, "clip " + options_.modality,
              "frames are too small: expected at least " + side + "x" + side + ", got " +
                  std::to_string(clip.size(3)) + "x" + std::to_string(clip.size(4)));
}

}  // namespace

std::shared_ptr<Model> make_network(const TimesformerOptions& options, std::int64_t classes) {
  return std::make_shared<Timesformer>(options, classes);
}

}  // namespace kinema::timesformer
