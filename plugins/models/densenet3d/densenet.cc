#include "densenet.h"

#include <ATen/ops/cat.h>

#include <map>

#include "blocks/clip_input.h"
#include "blocks/least_clip.h"
#include "blocks/resnet_init.h"
#include "kinema/layers.h"

namespace kinema::densenet3d {
namespace {

using O = Densenet3dOptions;

std::shared_ptr<Layer> conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride = 1) {
  const Extent<3> padding(kernel[0] / 2, kernel[1] / 2, kernel[2] / 2);
  return std::make_shared<Conv3d>(Conv3dOptions{
      .in = in, .out = out, .kernel = kernel, .stride = stride, .padding = padding, .bias = false});
}

std::shared_ptr<Layer> norm(std::int64_t features) { return std::make_shared<BatchNorm>(features); }
std::shared_ptr<Layer> relu() { return std::make_shared<Relu>(true); }  // always behind a norm here

// Appends `growth` channels to those of its input.
class DenseLayer final : public Sequential {
 public:
  DenseLayer(const O& o, std::int64_t in) {
    const std::int64_t middle = o.bottleneck * o.growth;
    add(norm(in), "norm1").add(relu(), "relu1").add(conv(in, middle, 1), "conv1");
    add(norm(middle), "norm2").add(relu(), "relu2").add(conv(middle, o.growth, 3), "conv2");
    add(std::make_shared<Dropout>(o.layer_dropout), "dropout");
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override { return at::cat({x, Sequential::forward(x)}, 1); }
};

class DenseBlock final : public Layer {
 public:
  DenseBlock(const O& o, std::int64_t in, std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i)
      layers_.push_back(child<DenseLayer>("denselayer" + std::to_string(i + 1), o, in + i * o.growth));
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    at::Tensor y = x;
    for (const Child<DenseLayer>& layer : layers_)
      y = block(
          *this, layer->name(), [&](const at::Tensor& in) { return layer(in); }, y);
    return y;
  }

 private:
  std::vector<Child<DenseLayer>> layers_;
};

std::shared_ptr<Layer> transition(std::int64_t in, std::int64_t out) {
  auto row = std::make_shared<Sequential>();
  row->add(norm(in), "norm").add(relu(), "relu").add(conv(in, out, 1), "conv");
  row->add(std::make_shared<AvgPool3d>(Pool3dOptions{.kernel = 2, .stride = 2}), "pool");
  return row;
}

// What is left in front of the classifier of so many frames, rows or columns.
std::int64_t map_size(const O& o, std::int64_t size, std::int64_t kernel, std::int64_t stride) {
  size = (size + 2 * (kernel / 2) - kernel) / stride + 1;
  if (!o.no_max_pool) size = (size - 1) / 2 + 1;
  for (std::size_t b = 1; b < layers_per_block(o).size(); ++b) size /= 2;
  return size;
}

Extent<3> least_clip(const O& o) {
  std::int64_t frames = 1, side = 1;
  while (map_size(o, frames, o.stem_frames, o.stem_stride) < 1) ++frames;
  while (map_size(o, side, 7, 2) < 1) ++side;
  return {frames, side, side};
}

class Densenet final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  Densenet(const O& o, std::int64_t classes) : modality_(o.modality), least_(least_clip(o)) {
    features_ = child<Sequential>("features");
    add_stem(o);
    add_blocks(o);
    relu_ = child<Relu>("relu", true);
    avgpool_ = child<AdaptiveAvgPool3d>("avgpool");
    dropout_ = child<Dropout>("dropout", o.dropout);
    classifier_ = child<Linear>("classifier", channels_, classes);
    blocks::init_convolutions(*this);
    init::constant(classifier_->bias(), 0);
  }

  Output forward(const ClipBatch& batch) override {
    return {classifier_(dropout_(avgpool_(maps(batch)).flatten(1))), {}};
  }
  std::vector<at::Tensor> features(const ClipBatch& batch) override { return {maps(batch)}; }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "classifier"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"3d_resnets", {}}}; }

 private:
  void add_stem(const O& o) {
    channels_ = o.width;
    features_->add(
        conv(blocks::channels_of(o.modality), o.width, {o.stem_frames, 7, 7}, {o.stem_stride, 2, 2}),
        "conv1");
    features_->add(norm(o.width), "norm1").add(relu(), "relu1");
    if (!o.no_max_pool)
      features_->add(std::make_shared<MaxPool3d>(Pool3dOptions{.kernel = 3, .stride = 2, .padding = 1}),
                     "pool1");
  }

  void add_blocks(const O& o) {
    const std::vector<std::int64_t> layers = layers_per_block(o);
    for (std::size_t b = 0; b < layers.size(); ++b) {
      const std::string number = std::to_string(b + 1);
      if (b > 0) {
        features_->add(transition(channels_, channels_ / 2), "transition" + std::to_string(b));
        channels_ /= 2;
      }
      features_->add(std::make_shared<DenseBlock>(o, channels_, layers[b]), "denseblock" + number);
      channels_ += layers[b] * o.growth;
    }
    features_->add(norm(channels_), "norm5");
  }

  at::Tensor maps(const ClipBatch& batch) {
    return relu_(features_(blocks::clip_of_at_least(batch, modality_, least_)));
  }

  std::string modality_;
  Extent<3> least_;
  std::int64_t channels_ = 0;  // behind the last part added
  Child<Sequential> features_;
  Child<Relu> relu_;
  Child<AdaptiveAvgPool3d> avgpool_;
  Child<Dropout> dropout_;
  Child<Linear> classifier_;
};

}  // namespace

std::vector<std::int64_t> layers_per_block(const O& o) {
  if (!o.blocks.empty()) return o.blocks;
  const std::map<std::int64_t, std::vector<std::int64_t>> by_depth = {
      {121, {6, 12, 24, 16}}, {169, {6, 12, 32, 32}}, {201, {6, 12, 48, 32}}, {264, {6, 12, 64, 48}}};
  return by_depth.at(o.depth);
}

std::shared_ptr<Model> make_densenet(const O& options, std::int64_t classes) {
  return std::make_shared<Densenet>(options, classes);
}

}  // namespace kinema::densenet3d
