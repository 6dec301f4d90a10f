#pragma once

#include <cstdint>
#include <memory>

#include "kinema/layers.h"
#include "plan.h"

namespace kinema::mvit {

// Pools the tokens of each head, [N, heads, 1 + positions, channels], of which the first, the class token,
// goes past it; then, with `normed` channels, a layer norm. Names as in torchvision: `pool`, `norm_act.0`.
class TokenPool : public Module {
 public:
  TokenPool(std::shared_ptr<Layer> pool, const Grid& grid, std::int64_t normed);
  at::Tensor operator()(const at::Tensor& tokens);

 private:
  Grid grid_;
  Child<Layer> pool_;
  Child<Sequential> norm_;
};

// Depthwise convolution and norm of queries, keys or values of `channels` a head.
std::shared_ptr<TokenPool> make_head_pool(const Pooling& pooling, const Grid& grid, std::int64_t channels);
// Maximum, of what goes past the attention.
std::shared_ptr<TokenPool> make_skip_pool(const Pooling& queries, const Grid& grid);

}  // namespace kinema::mvit
