#include "vision_transformer.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/upsample_nearest1d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <ATen/ops/zeros.h>

#include <cmath>

#include "blocks/clip_input.h"
#include "blocks/transformer_init.h"

namespace kinema::timesformer {
namespace {

std::shared_ptr<Sequential> make_patch_embed(const TimesformerOptions& o) {
  auto embed = std::make_shared<Sequential>();
  embed->add(std::make_shared<Conv2d>(Conv2dOptions{.in = blocks::channels_of(o.modality),
                                                    .out = o.embed_dim,
                                                    .kernel = o.patch_size,
                                                    .stride = o.patch_size}),
             "proj");
  return embed;
}

std::int64_t places_of(const TimesformerOptions& o) {
  const std::int64_t side = o.crop / o.patch_size;
  return side * side;
}

}  // namespace

VisionTransformer::VisionTransformer(const TimesformerOptions& o, std::int64_t classes)
    : frames_apart_(o.attention == Attention::space),
      cls_token_(parameter("cls_token", blocks::token_table({1, 1, o.embed_dim}))),
      pos_embed_(parameter("pos_embed", blocks::token_table({1, places_of(o) + 1, o.embed_dim}))) {
  if (!frames_apart_) time_embed_ = &parameter("time_embed", at::zeros({1, o.frames, o.embed_dim}));
  patch_embed_ = child_of<Sequential>("patch_embed", make_patch_embed(o));
  pos_drop_ = child<Dropout>("pos_drop", o.block_dropout);
  time_drop_ = child<Dropout>("time_drop", o.block_dropout);
  blocks_ = child<Blocks>("blocks", o);
  norm_ = child<LayerNorm>("norm", o.embed_dim, kNormEps);
  dropout_ = child<Dropout>("dropout", o.dropout);
  head_ = child<Linear>("head", o.embed_dim, classes);
  blocks::init_transformer(*this);
  blocks_->begin_without_time();
}

// [samples, 1, channels]
at::Tensor VisionTransformer::first(std::int64_t samples) const {
  return cls_token_.add(pos_embed_.narrow(1, 0, 1)).expand({samples, -1, -1});
}

// Adds the vectors of places to patches [samples, rows * columns, channels].
at::Tensor VisionTransformer::with_places(const at::Tensor& patches, std::int64_t rows,
                                          std::int64_t columns) const {
  const at::Tensor places = pos_embed_.narrow(1, 1, pos_embed_.size(1) - 1);
  if (places.size(1) == rows * columns) return patches.add(places);
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(places.size(1))));
  const at::Tensor map = places.transpose(1, 2).unflatten(2, {side, side});
  return patches.add(at::upsample_nearest2d(map, {rows, columns}).flatten(2).transpose(1, 2));
}

// Adds the vectors of frames to patches [N, places, frames, channels].
at::Tensor VisionTransformer::with_times(const at::Tensor& patches) const {
  const std::int64_t frames = patches.size(2);
  if (time_embed_->size(1) == frames) return patches.add(*time_embed_);
  return patches.add(at::upsample_nearest1d(time_embed_->transpose(1, 2), {frames}).transpose(1, 2));
}

Tokens VisionTransformer::embedded(const at::Tensor& clip) {
  const std::int64_t samples = clip.size(0), frames = clip.size(2);
  const at::Tensor maps = patch_embed_(clip.transpose(1, 2).flatten(0, 1));
  Tokens tokens{.frames = frames, .rows = maps.size(2), .columns = maps.size(3)};
  const at::Tensor patches = with_places(maps.flatten(2).transpose(1, 2), tokens.rows, tokens.columns);
  if (frames_apart_) {
    tokens.values = pos_drop_(at::cat({first(samples * frames), patches}, 1));
    return tokens;
  }
  const at::Tensor by_place = pos_drop_(patches).unflatten(0, {samples, frames}).transpose(1, 2);
  tokens.values = at::cat({pos_drop_(first(samples)), time_drop_(with_times(by_place)).flatten(1, 2)}, 1);
  return tokens;
}

Tokens VisionTransformer::transformed(const at::Tensor& clip) {
  Tokens tokens = embedded(clip);
  tokens.values = blocks_(tokens.values, tokens.frames);
  return tokens;
}

at::Tensor VisionTransformer::classify(const at::Tensor& clip) {
  const Tokens tokens = transformed(clip);
  at::Tensor of_class = tokens.values.select(1, 0);
  if (frames_apart_) of_class = of_class.unflatten(0, {-1, tokens.frames}).mean(1);
  return head_(dropout_(norm_(of_class)));
}

at::Tensor VisionTransformer::features(const at::Tensor& clip) {
  const Tokens tokens = transformed(clip);
  const at::Tensor places = norm_(tokens.values).narrow(1, 1, tokens.values.size(1) - 1);
  if (frames_apart_)
    return places.unflatten(1, {tokens.rows, tokens.columns})
        .unflatten(0, {-1, tokens.frames})
        .permute({0, 4, 1, 2, 3});
  return places.unflatten(1, {tokens.rows, tokens.columns, tokens.frames}).permute({0, 4, 3, 1, 2});
}

}  // namespace kinema::timesformer
