#pragma once

#include <cstdint>

#include "kinema/layers.h"
#include "windows.h"

namespace kinema::video_swin {

struct WindowAttentionOptions {
  std::int64_t width = 0;
  std::int64_t heads = 1;
  Sizes window{};
  Sizes shift{};
  double attention_dropout = 0;
  double dropout = 0;
};

// Attention inside (shifted) windows of [N, T, H, W, width], with a learned bias for each relative position
// (Liu et al. 2021, "Swin Transformer"). Names as in torchvision: `relative_position_bias_table`,
// `relative_position_index`, `qkv`, `proj`.
class WindowAttention : public Layer {
 public:
  explicit WindowAttention(const WindowAttentionOptions& options);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  at::Tensor bias(std::int64_t tokens) const;
  at::Tensor scores(const at::Tensor& q, const at::Tensor& k, const Windows& windows) const;

  WindowAttentionOptions options_;
  at::Tensor& bias_table_;
  at::Tensor& index_;
  Child<Linear> qkv_, proj_;
  Child<Dropout> attention_dropout_, dropout_;
};

}  // namespace kinema::video_swin
