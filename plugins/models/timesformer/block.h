#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "blocks/attention.h"
#include "kinema/layers.h"
#include "options.h"

namespace kinema::timesformer {

inline constexpr double kNormEps = 1e-6;  // of every layer norm

// One block on tokens [N, 1 + places * frames, channels]: the class token, then the frames of each place in
// turn. Names as in TimeSformer: `norm1`, `attn`, `temporal_norm1`, `temporal_attn`, `temporal_fc`, `norm2`,
// `mlp`.
class Block : public Module {
 public:
  Block(const TimesformerOptions& options, double stochastic_depth);
  at::Tensor operator()(const at::Tensor& x, std::int64_t frames);
  // Attention over time adds nothing until it is trained: the network begins as one of images.
  void begin_without_time();

 private:
  at::Tensor divided(const at::Tensor& x, std::int64_t frames);
  at::Tensor over_time(const at::Tensor& places, std::int64_t frames);
  std::pair<at::Tensor, at::Tensor> over_space(const at::Tensor& first, const at::Tensor& places,
                                               std::int64_t frames);

  Child<LayerNorm> norm1_, temporal_norm1_, norm2_;
  Child<blocks::SelfAttention> attention_, temporal_attention_;
  Child<Linear> temporal_fc_;
  Child<StochasticDepth> drop_;
  Child<Sequential> mlp_;
};

// The blocks in a row, "0", "1", ...
class Blocks : public Module {
 public:
  explicit Blocks(const TimesformerOptions& options);
  at::Tensor operator()(const at::Tensor& x, std::int64_t frames);
  void begin_without_time();

 private:
  std::vector<Child<Block>> blocks_;
};

}  // namespace kinema::timesformer
