#pragma once

#include <cstdint>

#include "block.h"
#include "kinema/layers.h"
#include "options.h"

namespace kinema::timesformer {

// Tokens of a batch of clips: [N, 1 + places * frames, channels]; where attention stays in a frame, each
// frame is a sample of its own: [N * frames, 1 + places, channels].
struct Tokens {
  at::Tensor values;
  std::int64_t frames, rows, columns;
};

// Patches of frames, their places in space and time, and blocks. Names as in TimeSformer: `cls_token`,
// `pos_embed`, `time_embed`, `patch_embed.proj`, `blocks`, `norm`, `head`.
class VisionTransformer : public Module {
 public:
  VisionTransformer(const TimesformerOptions& options, std::int64_t classes);
  at::Tensor classify(const at::Tensor& clip);  // [N, C, T, H, W] -> [N, classes]
  at::Tensor features(const at::Tensor& clip);  // -> [N, channels, T, rows, columns]

 private:
  Tokens embedded(const at::Tensor& clip);
  Tokens transformed(const at::Tensor& clip);
  at::Tensor first(std::int64_t samples) const;
  at::Tensor with_places(const at::Tensor& patches, std::int64_t rows, std::int64_t columns) const;
  at::Tensor with_times(const at::Tensor& patches) const;

  bool frames_apart_;
  at::Tensor& cls_token_;
  at::Tensor& pos_embed_;
  at::Tensor* time_embed_ = nullptr;
  Child<Sequential> patch_embed_;
  Child<Dropout> pos_drop_, time_drop_;
  Child<Blocks> blocks_;
  Child<LayerNorm> norm_;
  Child<Dropout> dropout_;
  Child<Linear> head_;
};

}  // namespace kinema::timesformer
