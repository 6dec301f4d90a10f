#include "attention.h"

#include <cmath>

#include "blocks/attention.h"
#include "blocks/transformer_init.h"

namespace kinema::video_swin {
namespace {

// What the published networks add to the score of tokens that may not see each other.
constexpr double kHidden = -100;

}  // namespace

WindowAttention::WindowAttention(const WindowAttentionOptions& o)
    : options_(o),
      bias_table_(
          parameter("relative_position_bias_table",
                    blocks::token_table(
                        {volume({2 * o.window[0] - 1, 2 * o.window[1] - 1, 2 * o.window[2] - 1}), o.heads}))),
      index_(table("relative_position_index", relative_position_index(o.window))),
      qkv_(child<Linear>("qkv", o.width, 3 * o.width)),
      proj_(child<Linear>("proj", o.width, o.width)),
      attention_dropout_(child<Dropout>("attention_dropout", o.attention_dropout)),
      dropout_(child<Dropout>("proj_dropout", o.dropout)) {}

// [heads, tokens, tokens]. A window made smaller takes the first rows and columns of the index of a whole
// one, as the published networks do: along height and width these are not the relative positions of its own
// tokens.
at::Tensor WindowAttention::bias(std::int64_t tokens) const {
  const at::Tensor rows = index_.narrow(0, 0, tokens).narrow(1, 0, tokens).flatten();
  return bias_table_.index_select(0, rows).view({tokens, tokens, options_.heads}).permute({2, 0, 1});
}

// [N, windows, heads, tokens, tokens]
at::Tensor WindowAttention::scores(const at::Tensor& q, const at::Tensor& k, const Windows& windows) const {
  at::Tensor all = q.matmul(k.transpose(2, 3)).unflatten(0, {-1, windows.count()});
  all = all.add_(bias(q.size(2)));
  if (windows.shifted()) all = all.add_(windows.strangers(q.device()).unsqueeze(1), kHidden);
  return all.flatten(0, 1);
}

at::Tensor WindowAttention::forward(const at::Tensor& x) {
  const Windows windows({x.size(1), x.size(2), x.size(3)}, options_.window, options_.shift);
  const auto [q, k, v] = blocks::split_heads(qkv_(windows.cut(x)), options_.heads);
  const double scale = 1 / std::sqrt(static_cast<double>(options_.width / options_.heads));
  const at::Tensor weights = attention_dropout_(scores(q.mul(scale), k, windows).softmax(3));
  return windows.joined(dropout_(proj_(blocks::merge_heads(weights.matmul(v)))));
}

}  // namespace kinema::video_swin
