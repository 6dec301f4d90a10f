#include "network.h"

#include <ATen/ops/cat.h>

#include <string>

#include "block.h"
#include "blocks/clip_input.h"
#include "blocks/stage.h"
#include "blocks/transformer_init.h"
#include "kinema/error.h"
#include "kinema/layers.h"
#include "plan.h"

namespace kinema::mvit {
namespace {

// Puts the class token before the patches, [N, positions, channels], and adds what tells their places.
class PositionalEncoding final : public Layer {
 public:
  PositionalEncoding(std::int64_t channels, const Grid& grid, Positions positions)
      : class_token_(parameter("class_token", blocks::token_table({channels}))) {
    if (positions == Positions::relative) return;
    spatial_ = &parameter("spatial_pos", blocks::token_table({grid[1] * grid[2], channels}));
    temporal_ = &parameter("temporal_pos", blocks::token_table({grid[0], channels}));
    class_ = &parameter("class_pos", blocks::token_table({channels}));
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    if (spatial_ == nullptr) return at::cat({first(x, class_token_), x}, 1);
    const at::Tensor places = temporal_->unsqueeze(1).add(spatial_->unsqueeze(0)).flatten(0, 1);
    return at::cat({first(x, class_token_.add(*class_)), x.add(places)}, 1);
  }

 private:
  static at::Tensor first(const at::Tensor& x, const at::Tensor& token) {
    return token.expand({x.size(0), 1, x.size(2)});
  }

  at::Tensor& class_token_;
  at::Tensor* spatial_ = nullptr;
  at::Tensor* temporal_ = nullptr;
  at::Tensor* class_ = nullptr;
};

Conv3dOptions patch_conv(const MvitOptions& o) {
  const auto extent = [](const std::vector<std::int64_t>& s) { return Extent<3>(s[0], s[1], s[2]); };
  return {.in = blocks::channels_of(o.modality),
          .out = o.embed_dim,
          .kernel = extent(o.patch_kernel),
          .stride = extent(o.patch_stride),
          .padding = extent(o.patch_padding)};
}

std::string size_of(const Grid& clip) {
  return std::to_string(clip[0]) + " frames of " + std::to_string(clip[1]) + "x" + std::to_string(clip[2]);
}

class Mvit final : public Model, public HasFeatures, public HasKeyMaps {
 public:
  Mvit(const MvitOptions& o, std::int64_t classes);
  Output forward(const ClipBatch& batch) override { return {head_(norm_(tokens(batch).select(1, 0))), {}}; }

  std::vector<at::Tensor> features(const ClipBatch& batch) override {
    const at::Tensor places = norm_(tokens(batch)).narrow(1, 1, positions_of(last_grid_));
    return {places.transpose(1, 2).unflatten(2, last_grid_)};
  }
  std::vector<std::int64_t> feature_channels() const override { return {channels_}; }
  std::string head() const override { return "head"; }
  std::vector<KeyMap> checkpoint_key_maps() const override;

 private:
  at::Tensor tokens(const ClipBatch& batch) const;
  const at::Tensor& fitting_clip(const ClipBatch& batch) const;

  MvitOptions options_;
  Grid last_grid_;
  std::int64_t channels_;
  Child<Conv3d> conv_proj_;
  Child<Layer> pos_encoding_;
  Child<blocks::Stage> blocks_;
  Child<LayerNorm> norm_;
  Child<Sequential> head_;
};

Mvit::Mvit(const MvitOptions& o, std::int64_t classes)
    : options_(o),
      conv_proj_(child<Conv3d>("conv_proj", patch_conv(o))),
      pos_encoding_(child_of<Layer>("pos_encoding", std::make_shared<PositionalEncoding>(
                                                        o.embed_dim, patches(o, clip_of(o)), o.positions))),
      blocks_(child<blocks::Stage>("blocks")) {
  const std::vector<BlockPlan> plan = plan_blocks(o);
  const auto count = static_cast<std::int64_t>(plan.size());
  for (std::int64_t b = 0; b < count; ++b)
    blocks_->add(make_block(o, plan[static_cast<std::size_t>(b)],
                            blocks::stochastic_depth_of(o.stochastic_depth, b, count)));
  last_grid_ = plan.back().q.of(plan.back().grid);
  channels_ = plan.back().out;
  norm_ = child<LayerNorm>("norm", channels_, kNormEps);
  head_ = child<Sequential>("head");
  head_->add(std::make_shared<Dropout>(o.dropout)).add(std::make_shared<Linear>(channels_, classes));
  blocks::init_transformer(*this);
}

const at::Tensor& Mvit::fitting_clip(const ClipBatch& batch) const {
  const at::Tensor& clip = blocks::checked_clip(batch, options_.modality);
  const Grid got = {clip.size(2), clip.size(3), clip.size(4)}, expected = clip_of(options_);
  if (patches(options_, got) == patches(options_, expected)) return clip;
  throw Error(ErrorKind::run, "clip " + options_.modality,
              "wrong size: expected " + size_of(expected) + ", got " + size_of(got),
              "the tables of positions are for one size, see the options frames and crop of the model");
}

at::Tensor Mvit::tokens(const ClipBatch& batch) const {
  const at::Tensor patches = conv_proj_(fitting_clip(batch)).flatten(2).transpose(1, 2);
  return blocks_(pos_encoding_(patches));
}

std::vector<KeyMap> Mvit::checkpoint_key_maps() const {
  return {{"torchvision", {}},
          {"pyslowfast",
           {{"^cls_token$", "pos_encoding.class_token"},
            {"^pos_embed_(spatial|temporal|class)$", "pos_encoding.$1_pos"},
            {"^patch_embed\\.proj\\.", "conv_proj."},
            {"^(blocks\\.\\d+\\.attn)\\.proj\\.", "$1.project.0."},
            {"^(blocks\\.\\d+\\.attn\\.pool_[qkv])\\.weight$", "$1.pool.weight"},
            {"^(blocks\\.\\d+\\.attn)\\.norm_([qkv])\\.", "$1.pool_$2.norm_act.0."},
            {"^(blocks\\.\\d+\\.mlp)\\.fc1\\.", "$1.0."},
            {"^(blocks\\.\\d+\\.mlp)\\.fc2\\.", "$1.3."},
            {"^(blocks\\.\\d+)\\.proj\\.", "$1.project."},
            {"^head\\.projection\\.", "head.1."}}}};
}

}  // namespace

std::shared_ptr<Model> make_network(const MvitOptions& options, std::int64_t classes) {
  return std::make_shared<Mvit>(options, classes);
}

}  // namespace kinema::mvit
