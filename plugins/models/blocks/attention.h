#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

#include "kinema/layers.h"

namespace kinema::blocks {

// softmax(scale q k^T) v of each head (Vaswani et al. 2017, "Attention Is All You Need"): queries [N, heads,
// Q, D], keys [N, heads, K, D] and values [N, heads, K, E] give [N, heads, Q, E]. Weights are left out with
// probability `dropout`, which is 0 in eval mode.
at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
                  double dropout = 0);

// What one linear layer gives for queries, keys and values, [N, tokens, 3 * heads * D], as three views
// [N, heads, tokens, D].
std::array<at::Tensor, 3> split_heads(const at::Tensor& qkv, std::int64_t heads);

// [N, heads, tokens, D] -> [N, tokens, heads * D]
at::Tensor merge_heads(const at::Tensor& x);

struct SelfAttentionOptions {
  std::int64_t width = 0;  // of a token
  std::int64_t heads = 1;
  double attention_dropout = 0;  // of the weights
  double dropout = 0;            // behind the projection
};

// Each token of [N, tokens, width] attends to all tokens of its sample. Names as in timm: `qkv`, `proj`.
class SelfAttention : public Layer {
 public:
  explicit SelfAttention(const SelfAttentionOptions& options);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  SelfAttentionOptions options_;
  Child<Linear> qkv_, proj_;
  Child<Dropout> dropout_;
};

}  // namespace kinema::blocks
