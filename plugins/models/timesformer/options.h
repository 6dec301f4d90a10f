#pragma once

#include <cstdint>
#include <string>

namespace kinema::timesformer {

// What a token attends to: the tokens at its place in all frames, then those of its frame; all tokens of the
// clip; those of its frame, and the frames are averaged at the end.
enum class Attention { divided, joint, space };

struct TimesformerOptions {
  std::int64_t frames = 8;
  std::int64_t crop = 224;
  std::int64_t patch_size = 16;
  std::int64_t embed_dim = 768;
  std::int64_t depth = 12;
  std::int64_t heads = 12;
  double mlp_ratio = 4;
  Attention attention = Attention::divided;
  double stochastic_depth = 0.1;
  double dropout = 0;
  double block_dropout = 0;
  double attention_dropout = 0;
  std::string modality = "rgb";
};

}  // namespace kinema::timesformer
