#include "torchvision.h"

#include <algorithm>
#include <string>

#include "blocks/clip_input.h"
#include "blocks/least_clip.h"
#include "blocks/resnet_init.h"
#include "blocks/stage.h"
#include "kinema/layers.h"

namespace kinema::resnet3d {
namespace {

enum class Kernel { full, spatial, factored };

Kernel kernel_of(Block block, std::size_t stage) {
  if (block == Block::factored) return Kernel::factored;
  return block == Block::mixed && stage > 0 ? Kernel::spatial : Kernel::full;
}

std::shared_ptr<Conv3d> conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride) {
  const Extent<3> padding(kernel[0] / 2, kernel[1] / 2, kernel[2] / 2);
  return std::make_shared<Conv3d>(Conv3dOptions{
      .in = in, .out = out, .kernel = kernel, .stride = stride, .padding = padding, .bias = false});
}

std::shared_ptr<Layer> norm(std::int64_t features) { return std::make_shared<BatchNorm>(features); }
std::shared_ptr<Layer> relu() { return std::make_shared<Relu>(true); }  // always behind a norm here

using Layers = std::initializer_list<std::shared_ptr<Layer>>;
std::shared_ptr<Sequential> row(Layers layers) { return std::make_shared<Sequential>(layers); }

Extent<3> strides(Kernel kernel, std::int64_t stride) {
  return {kernel == Kernel::spatial ? 1 : stride, stride, stride};
}

std::shared_ptr<Layer> block_conv(Kernel kernel, std::int64_t in, std::int64_t out, std::int64_t middle,
                                  std::int64_t stride) {
  if (kernel == Kernel::factored)
    return row({conv(in, middle, {1, 3, 3}, {1, stride, stride}), norm(middle), relu(),
                conv(middle, out, {3, 1, 1}, {stride, 1, 1})});
  const Extent<3> size = kernel == Kernel::spatial ? Extent<3>(1, 3, 3) : Extent<3>(3);
  return conv(in, out, size, strides(kernel, stride));
}

class BasicBlock final : public Layer {
 public:
  BasicBlock(Kernel kernel, std::int64_t in, std::int64_t out, std::int64_t stride) {
    // Channels between the halves of a factored convolution: as many parameters as 3x3x3 would have. Counted
    // once for a block, from its input, and used for both of its convolutions.
    const std::int64_t middle = in * out * 27 / (in * 9 + 3 * out);
    conv1_ =
        child_of<Sequential>("conv1", row({block_conv(kernel, in, out, middle, stride), norm(out), relu()}));
    conv2_ = child_of<Sequential>("conv2", row({block_conv(kernel, out, out, middle, 1), norm(out)}));
    if (stride != 1 || in != out)
      downsample_ =
          child_of<Sequential>("downsample", row({conv(in, out, 1, strides(kernel, stride)), norm(out)}));
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    const at::Tensor branch = conv2_(conv1_(x));
    return blocks::add_relu(branch, downsample_ ? downsample_(x) : x);
  }

 private:
  Child<Sequential> conv1_, conv2_, downsample_;
};

std::shared_ptr<Sequential> make_stem(Stem stem, std::int64_t channels, std::int64_t width) {
  if (stem == Stem::basic) return row({conv(channels, width, {3, 7, 7}, {1, 2, 2}), norm(width), relu()});
  const std::int64_t middle = std::max<std::int64_t>(1, 45 * width / 64);
  return row({conv(channels, middle, {1, 7, 7}, {1, 2, 2}), norm(middle), relu(),
              conv(middle, width, {3, 1, 1}, 1), norm(width), relu()});
}

class TorchvisionResnet final : public Model, public HasKeyMaps, public HasFeatures {
 public:
  TorchvisionResnet(const Resnet3dOptions& o, std::int64_t classes)
      : modality_(o.modality),
        stem_(child_of<Sequential>("stem", make_stem(o.stem, blocks::channels_of(o.modality), o.width))) {
    std::int64_t in = o.width, out = o.width;
    const std::vector<std::int64_t> counts = blocks_per_stage(o);
    for (std::size_t s = 0; s < counts.size(); ++s, out *= 2) {
      auto stage = std::make_shared<blocks::Stage>();
      for (std::int64_t b = 0; b < counts[s]; ++b, in = out)
        stage->add(std::make_shared<BasicBlock>(kernel_of(o.block, s), in, out, s > 0 && b == 0 ? 2 : 1));
      stages_.push_back(child_of<blocks::Stage>("layer" + std::to_string(s + 1), stage));
    }
    pool_ = child<AdaptiveAvgPool3d>("avgpool");
    dropout_ = child<Dropout>("dropout", o.dropout);
    fc_ = child<Linear>("fc", in, classes);
    channels_ = in;
    blocks::init_resnet(*this);
  }

  Output forward(const ClipBatch& batch) override {
    return {fc_(dropout_(pool_(maps(batch)).flatten(1))), {}};
  }

  std::vector<at::Tensor> features(const ClipBatch& batch) override { return {maps(batch)}; }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "fc"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"torchvision", {}}}; }

 private:
  at::Tensor maps(const ClipBatch& batch) {
    at::Tensor x = stem_(blocks::clip_of_at_least(batch, modality_, 1));
    for (const auto& stage : stages_) x = stage(x);
    return x;
  }

  std::string modality_;
  std::int64_t channels_ = 0;  // of the last stage
  Child<Sequential> stem_;
  std::vector<Child<blocks::Stage>> stages_;
  Child<AdaptiveAvgPool3d> pool_;
  Child<Dropout> dropout_;
  Child<Linear> fc_;
};

}  // namespace

std::shared_ptr<Model> make_torchvision(const Resnet3dOptions& options, std::int64_t classes) {
  return std::make_shared<TorchvisionResnet>(options, classes);
}

}  // namespace kinema::resnet3d
