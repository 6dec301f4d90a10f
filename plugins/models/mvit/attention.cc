#include "attention.h"

#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>

#include <cmath>

#include "blocks/attention.h"
#include "blocks/stand_in_products.h"
#include "blocks/transformer_init.h"

namespace kinema::mvit {
namespace {

// x + q, but for the class token.
at::Tensor add_queries(const at::Tensor& x, const at::Tensor& q) {
  const std::int64_t places = x.size(2) - 1;
  return at::cat({x.narrow(2, 0, 1), x.narrow(2, 1, places).add(q.narrow(2, 1, places))}, 2);
}

}  // namespace

MultiscaleAttention::MultiscaleAttention(const MvitOptions& o, const BlockPlan& plan)
    : heads_(plan.heads), residual_(o.residual_pooling) {
  const std::int64_t channels = plan.attention / plan.heads;
  scale_ = 1 / std::sqrt(static_cast<double>(channels));
  if (o.positions == Positions::relative) {
    positions_ = RelativePositions(plan.q.of(plan.grid), plan.kv.of(plan.grid));
    tables_[1] = &parameter("rel_pos_h", blocks::token_table({plan.spatial_rows, channels}));
    tables_[2] = &parameter("rel_pos_w", blocks::token_table({plan.spatial_rows, channels}));
    tables_[0] = &parameter("rel_pos_t", blocks::token_table({plan.temporal_rows, channels}));
  }
  qkv_ = child<Linear>("qkv", plan.in, 3 * plan.attention);
  project_ = child<Sequential>("project");
  project_->add(std::make_shared<Linear>(plan.attention, plan.attention))
      .add(std::make_shared<Dropout>(o.block_dropout));
  if (plan.q.pools()) pool_q_ = child_of<TokenPool>("pool_q", make_head_pool(plan.q, plan.grid, channels));
  if (!plan.kv.pools()) return;
  pool_k_ = child_of<TokenPool>("pool_k", make_head_pool(plan.kv, plan.grid, channels));
  pool_v_ = child_of<TokenPool>("pool_v", make_head_pool(plan.kv, plan.grid, channels));
}

at::Tensor MultiscaleAttention::attended(const at::Tensor& q, const at::Tensor& k,
                                         const at::Tensor& v) const {
  if (tables_[0] == nullptr) return blocks::attend(q, k, v, scale_);
  const auto [queries, keys] = positions_.applied(q, k, scale_, {*tables_[0], *tables_[1], *tables_[2]});
  // The channels that carry the positions, and those that fused attention wants of the values, are ours
  // alone.
  const blocks::StandInProducts as_written(2 * q.numel() * k.size(2));
  const at::Tensor values = at::constant_pad_nd(v, {0, queries.size(3) - v.size(3)});
  return blocks::attend(queries, keys, values, 1).narrow(3, 0, v.size(3));
}

at::Tensor MultiscaleAttention::forward(const at::Tensor& x) {
  auto [q, k, v] = blocks::split_heads(qkv_(x), heads_);
  if (pool_q_) q = pool_q_(q);
  if (pool_k_) k = pool_k_(k);
  if (pool_v_) v = pool_v_(v);
  const at::Tensor y = attended(q, k, v);
  return project_(blocks::merge_heads(residual_ ? add_queries(y, q) : y));
}

}  // namespace kinema::mvit
