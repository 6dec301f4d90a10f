#include "blocks/attention.h"

#include <ATen/ops/scaled_dot_product_attention.h>

#include <cmath>

namespace kinema::blocks {

at::Tensor attend(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v, double scale,
                  double dropout) {
  return at::scaled_dot_product_attention(q, k, v, {}, dropout, false, scale);
}

std::array<at::Tensor, 3> split_heads(const at::Tensor& qkv, std::int64_t heads) {
  const at::Tensor parts = qkv.view({qkv.size(0), qkv.size(1), 3, heads, qkv.size(2) / (3 * heads)});
  const auto part = [&](std::int64_t p) { return parts.select(2, p).transpose(1, 2); };
  return {part(0), part(1), part(2)};
}

at::Tensor merge_heads(const at::Tensor& x) { return x.transpose(1, 2).flatten(2); }

SelfAttention::SelfAttention(const SelfAttentionOptions& o)
    : options_(o),
      qkv_(child<Linear>("qkv", o.width, 3 * o.width)),
      proj_(child<Linear>("proj", o.width, o.width)),
      dropout_(child<Dropout>("proj_drop", o.dropout)) {}

at::Tensor SelfAttention::forward(const at::Tensor& x) {
  const auto [q, k, v] = split_heads(qkv_(x), options_.heads);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.width / options_.heads));
  const at::Tensor y = attend(q, k, v, scale, training() ? options_.attention_dropout : 0);
  return dropout_(proj_(merge_heads(y)));
}

}  // namespace kinema::blocks
