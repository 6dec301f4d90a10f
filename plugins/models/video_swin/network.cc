#include "network.h"

#include <ATen/ops/constant_pad_nd.h>

#include <string>

#include "attention.h"
#include "blocks/clip_input.h"
#include "blocks/mlp.h"
#include "blocks/stage.h"
#include "blocks/transformer_init.h"
#include "kinema/layers.h"

namespace kinema::video_swin {
namespace {

using at::IntArrayRef;

// Clips [N, C, T, H, W] become tokens [N, T', H', W', channels].
class PatchEmbed final : public Layer {
 public:
  PatchEmbed(std::int64_t in, std::int64_t channels, const std::vector<std::int64_t>& size)
      : size_{size[0], size[1], size[2]},
        proj_(child<Conv3d>("proj", Conv3dOptions{.in = in,
                                                  .out = channels,
                                                  .kernel = {size[0], size[1], size[2]},
                                                  .stride = {size[0], size[1], size[2]}})),
        norm_(child<LayerNorm>("norm", channels)) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    Sizes missing;
    for (std::size_t d = 0; d < 3; ++d)
      missing[d] = (size_[d] - x.size(static_cast<std::int64_t>(d) + 2) % size_[d]) % size_[d];
    const at::Tensor whole =
        missing == Sizes{} ? x : at::constant_pad_nd(x, {0, missing[2], 0, missing[1], 0, missing[0]});
    return norm_(proj_(whole).permute({0, 2, 3, 4, 1}));
  }

 private:
  Sizes size_;
  Child<Conv3d> proj_;
  Child<LayerNorm> norm_;
};

class SwinBlock final : public Layer {
 public:
  SwinBlock(const VideoSwinOptions& o, const WindowAttentionOptions& attention, double stochastic_depth)
      : norm1_(child<LayerNorm>("norm1", attention.width)),
        attention_(child<WindowAttention>("attn", attention)),
        drop_(child<StochasticDepth>("stochastic_depth", stochastic_depth)),
        norm2_(child<LayerNorm>("norm2", attention.width)) {
    const auto hidden = static_cast<std::int64_t>(static_cast<double>(attention.width) * o.mlp_ratio);
    mlp_ = child_of<Sequential>(
        "mlp",
        blocks::make_mlp(
            {.in = attention.width, .hidden = hidden, .out = attention.width, .dropout = o.block_dropout}));
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    const at::Tensor y = x.add(drop_(attention_(norm1_(x))));
    return y.add(drop_(mlp_(norm2_(y))));
  }

 private:
  Child<LayerNorm> norm1_;
  Child<WindowAttention> attention_;
  Child<StochasticDepth> drop_;
  Child<LayerNorm> norm2_;
  Child<Sequential> mlp_;
};

// Two by two tokens of a frame become one of twice the channels.
class PatchMerging final : public Layer {
 public:
  explicit PatchMerging(std::int64_t channels)
      : reduction_(child<Linear>("reduction",
                                 LinearOptions{.in = 4 * channels, .out = 2 * channels, .bias = false})),
        norm_(child<LayerNorm>("norm", 4 * channels)) {}

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    const bool odd = x.size(2) % 2 != 0 || x.size(3) % 2 != 0;
    const at::Tensor even = odd ? at::constant_pad_nd(x, {0, 0, 0, x.size(3) % 2, 0, x.size(2) % 2}) : x;
    // The neighbour below comes before the one to the right.
    return reduction_(
        norm_(even.unflatten(3, {-1, 2}).unflatten(2, {-1, 2}).permute({0, 1, 2, 4, 5, 3, 6}).flatten(4)));
  }

 private:
  Child<Linear> reduction_;
  Child<LayerNorm> norm_;
};

class VideoSwin final : public Model, public HasFeatures, public HasKeyMaps {
 public:
  VideoSwin(const VideoSwinOptions& o, std::int64_t classes);
  Output forward(const ClipBatch& batch) override {
    return {head_(dropout_(tokens(batch).mean(IntArrayRef({1, 2, 3})))), {}};
  }

  std::vector<at::Tensor> features(const ClipBatch& batch) override {
    return {tokens(batch).permute({0, 4, 1, 2, 3})};
  }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "head"; }
  std::vector<KeyMap> checkpoint_key_maps() const override { return {{"torchvision", {}}}; }

 private:
  std::shared_ptr<blocks::Stage> make_stage(std::size_t stage, std::int64_t first_block) const;
  at::Tensor tokens(const ClipBatch& batch) const {
    const at::Tensor& clip = blocks::checked_clip(batch, options_.modality);
    return norm_(features_(pos_drop_(patch_embed_(clip))));
  }

  VideoSwinOptions options_;
  std::int64_t channels_ = 0;
  Child<PatchEmbed> patch_embed_;
  Child<Dropout> pos_drop_;
  Child<Sequential> features_;
  Child<LayerNorm> norm_;
  Child<Dropout> dropout_;
  Child<Linear> head_;
};

VideoSwin::VideoSwin(const VideoSwinOptions& o, std::int64_t classes)
    : options_(o),
      patch_embed_(
          child<PatchEmbed>("patch_embed", blocks::channels_of(o.modality), o.embed_dim, o.patch_size)),
      pos_drop_(child<Dropout>("pos_drop", o.block_dropout)),
      features_(child<Sequential>("features")) {
  std::int64_t first_block = 0;
  for (std::size_t s = 0; s < o.depths.size(); ++s) {
    channels_ = o.embed_dim << s;
    features_->add(make_stage(s, first_block));
    if (s + 1 < o.depths.size()) features_->add(std::make_shared<PatchMerging>(channels_));
    first_block += o.depths[s];
  }
  norm_ = child<LayerNorm>("norm", channels_);
  dropout_ = child<Dropout>("dropout", o.dropout);
  head_ = child<Linear>("head", channels_, classes);
  blocks::init_transformer(*this);
}

std::shared_ptr<blocks::Stage> VideoSwin::make_stage(std::size_t s, std::int64_t first_block) const {
  const VideoSwinOptions& o = options_;
  std::int64_t count = 0;
  for (const std::int64_t depth : o.depths) count += depth;
  auto stage = std::make_shared<blocks::Stage>();
  for (std::int64_t b = 0; b < o.depths[s]; ++b) {
    WindowAttentionOptions attention{.width = channels_,
                                     .heads = o.heads[s],
                                     .window = {o.window[0], o.window[1], o.window[2]},
                                     .attention_dropout = o.attention_dropout,
                                     .dropout = o.block_dropout};
    if (b % 2 == 1) attention.shift = {o.window[0] / 2, o.window[1] / 2, o.window[2] / 2};
    stage->add(std::make_shared<SwinBlock>(
        o, attention, blocks::stochastic_depth_of(o.stochastic_depth, first_block + b, count)));
  }
  return stage;
}

}  // namespace

std::shared_ptr<Model> make_network(const VideoSwinOptions& options, std::int64_t classes) {
  return std::make_shared<VideoSwin>(options, classes);
}

}  // namespace kinema::video_swin
