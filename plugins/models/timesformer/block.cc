#include "block.h"

#include <ATen/ops/cat.h>

#include <string>

#include "blocks/mlp.h"
#include "blocks/transformer_init.h"
#include "kinema/run_context.h"

namespace kinema::timesformer {

Block::Block(const TimesformerOptions& o, double stochastic_depth) {
  const blocks::SelfAttentionOptions attention{.width = o.embed_dim,
                                               .heads = o.heads,
                                               .attention_dropout = o.attention_dropout,
                                               .dropout = o.block_dropout};
  norm1_ = child<LayerNorm>("norm1", o.embed_dim, kNormEps);
  attention_ = child<blocks::SelfAttention>("attn", attention);
  if (o.attention == Attention::divided) {
    temporal_norm1_ = child<LayerNorm>("temporal_norm1", o.embed_dim, kNormEps);
    temporal_attention_ = child<blocks::SelfAttention>("temporal_attn", attention);
    temporal_fc_ = child<Linear>("temporal_fc", o.embed_dim, o.embed_dim);
  }
  drop_ = child<StochasticDepth>("drop_path", stochastic_depth);
  norm2_ = child<LayerNorm>("norm2", o.embed_dim, kNormEps);
  const auto hidden = static_cast<std::int64_t>(static_cast<double>(o.embed_dim) * o.mlp_ratio);
  mlp_ = child_of<Sequential>("mlp", blocks::make_mlp({.in = o.embed_dim,
                                                       .hidden = hidden,
                                                       .out = o.embed_dim,
                                                       .dropout = o.block_dropout,
                                                       .names = blocks::kTimmMlp}));
}

at::Tensor Block::operator()(const at::Tensor& x, std::int64_t frames) {
  const at::Tensor y = temporal_fc_ ? divided(x, frames) : x.add(drop_(attention_(norm1_(x))));
  return y.add(drop_(mlp_(norm2_(y))));
}

void Block::begin_without_time() {
  if (!temporal_fc_) return;
  init::constant(temporal_fc_->weight(), 0);
  init::constant(temporal_fc_->bias(), 0);
}

at::Tensor Block::divided(const at::Tensor& x, std::int64_t frames) {
  const at::Tensor first = x.narrow(1, 0, 1), before = x.narrow(1, 1, x.size(1) - 1);
  const at::Tensor places = before.add(over_time(before, frames));
  const auto [of_first, of_places] = over_space(first, places, frames);
  return at::cat({first.add(of_first), places.add(of_places)}, 1);
}

// Each place by itself.
at::Tensor Block::over_time(const at::Tensor& places, std::int64_t frames) {
  const at::Tensor rows = places.reshape({-1, frames, places.size(2)});
  return temporal_fc_(drop_(temporal_attention_(temporal_norm1_(rows)))).view(places.sizes());
}

// Each frame by itself, with the class token, which then takes the mean over the frames.
std::pair<at::Tensor, at::Tensor> Block::over_space(const at::Tensor& first, const at::Tensor& places,
                                                    std::int64_t frames) {
  const at::Tensor by_frame = places.unflatten(1, {-1, frames}).transpose(1, 2);
  const at::Tensor tokens =
      at::cat({first.unsqueeze(1).expand({-1, frames, 1, first.size(2)}), by_frame}, 2).flatten(0, 1);
  const at::Tensor branch = drop_(attention_(norm1_(tokens))).unflatten(0, {-1, frames});
  return {branch.select(2, 0).mean(1, true),
          branch.narrow(2, 1, by_frame.size(2)).transpose(1, 2).flatten(1, 2)};
}

Blocks::Blocks(const TimesformerOptions& o) {
  for (std::int64_t b = 0; b < o.depth; ++b)
    blocks_.push_back(
        child<Block>(std::to_string(b), o, blocks::stochastic_depth_of(o.stochastic_depth, b, o.depth)));
}

at::Tensor Blocks::operator()(const at::Tensor& x, std::int64_t frames) {
  at::Tensor y = x;
  for (const Child<Block>& one : blocks_)
    y = block(
        *this, one->name(), [&](const at::Tensor& in) { return one(in, frames); }, y);
  return y;
}

void Blocks::begin_without_time() {
  for (const Child<Block>& one : blocks_) one->begin_without_time();
}

}  // namespace kinema::timesformer
