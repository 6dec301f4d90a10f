#include "block.h"

#include "attention.h"
#include "blocks/mlp.h"
#include "token_pool.h"

namespace kinema::mvit {
namespace {

class MultiscaleBlock final : public Layer {
 public:
  MultiscaleBlock(const MvitOptions& o, const BlockPlan& plan, double stochastic_depth)
      : widens_first_(o.widening == Widening::attention) {
    if (skip_pooling(plan.q).pools())
      pool_skip_ = child_of<TokenPool>("pool_skip", make_skip_pool(plan.q, plan.grid));
    norm1_ = child<LayerNorm>("norm1", plan.in, kNormEps);
    norm2_ = child<LayerNorm>("norm2", plan.attention, kNormEps);
    attention_ = child<MultiscaleAttention>("attn", o, plan);
    const auto hidden = static_cast<std::int64_t>(static_cast<double>(plan.attention) * o.mlp_ratio);
    mlp_ = child_of<Sequential>(
        "mlp", blocks::make_mlp(
                   {.in = plan.attention, .hidden = hidden, .out = plan.out, .dropout = o.block_dropout}));
    drop_ = child<StochasticDepth>("stochastic_depth", stochastic_depth);
    if (plan.in != plan.out) project_ = child<Linear>("project", plan.in, plan.out);
  }

 protected:
  at::Tensor forward(const at::Tensor& x) override {
    const at::Tensor normed = norm1_(x);
    const at::Tensor attended = attention_(normed);
    const at::Tensor skip = project_ && widens_first_ ? project_(normed) : x;
    return with_mlp((pool_skip_ ? pool_skip_(skip.unsqueeze(1)).squeeze(1) : skip).add(drop_(attended)));
  }

 private:
  at::Tensor with_mlp(const at::Tensor& x) {
    const at::Tensor normed = norm2_(x);
    const at::Tensor skip = project_ && !widens_first_ ? project_(normed) : x;
    return skip.add(drop_(mlp_(normed)));
  }

  bool widens_first_;
  Child<TokenPool> pool_skip_;
  Child<LayerNorm> norm1_, norm2_;
  Child<MultiscaleAttention> attention_;
  Child<Sequential> mlp_;
  Child<StochasticDepth> drop_;
  Child<Linear> project_;
};

}  // namespace

std::shared_ptr<Layer> make_block(const MvitOptions& options, const BlockPlan& plan,
                                  double stochastic_depth) {
  return std::make_shared<MultiscaleBlock>(options, plan, stochastic_depth);
}

}  // namespace kinema::mvit
