#include "token_pool.h"

#include <ATen/ops/cat.h>

namespace kinema::mvit {

TokenPool::TokenPool(std::shared_ptr<Layer> pool, const Grid& grid, std::int64_t normed)
    : grid_(grid), pool_(child_of<Layer>("pool", std::move(pool))) {
  if (normed == 0) return;
  norm_ = child<Sequential>("norm_act");
  norm_->add(std::make_shared<LayerNorm>(normed, kNormEps));
}

at::Tensor TokenPool::operator()(const at::Tensor& tokens) {
  const std::int64_t samples = tokens.size(0), heads = tokens.size(1), channels = tokens.size(3);
  // Channels last, as they lie in memory.
  const at::Tensor maps = tokens.narrow(2, 1, positions_of(grid_))
                              .reshape({samples * heads, grid_[0], grid_[1], grid_[2], channels})
                              .permute({0, 4, 1, 2, 3});
  const at::Tensor pooled = pool_(maps).flatten(2).transpose(1, 2).unflatten(0, {samples, heads});
  const at::Tensor all = at::cat({tokens.narrow(2, 0, 1), pooled}, 2);
  return norm_ ? norm_(all) : all;
}

std::shared_ptr<TokenPool> make_head_pool(const Pooling& pooling, const Grid& grid, std::int64_t channels) {
  auto conv = std::make_shared<Conv3d>(Conv3dOptions{.in = channels,
                                                     .out = channels,
                                                     .kernel = pooling.kernel,
                                                     .stride = pooling.stride,
                                                     .padding = pooling.padding(),
                                                     .groups = channels,
                                                     .bias = false});
  return std::make_shared<TokenPool>(std::move(conv), grid, channels);
}

std::shared_ptr<TokenPool> make_skip_pool(const Pooling& queries, const Grid& grid) {
  const Pooling skip = skip_pooling(queries);
  auto pool = std::make_shared<MaxPool3d>(
      Pool3dOptions{.kernel = skip.kernel, .stride = skip.stride, .padding = skip.padding()});
  return std::make_shared<TokenPool>(std::move(pool), grid, 0);
}

}  // namespace kinema::mvit
