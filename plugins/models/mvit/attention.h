#pragma once

#include <array>
#include <cstdint>

#include "kinema/layers.h"
#include "options.h"
#include "plan.h"
#include "relative_positions.h"
#include "token_pool.h"

namespace kinema::mvit {

// Multi-head attention with pooled queries, keys and values (Fan et al. 2021, "Multiscale Vision
// Transformers"): [N, 1 + positions, in] -> [N, 1 + fewer positions, attention]. Names as in torchvision:
// `rel_pos_{h,w,t}`, `qkv`, `project.0`, `pool_{q,k,v}`.
class MultiscaleAttention : public Layer {
 public:
  MultiscaleAttention(const MvitOptions& options, const BlockPlan& plan);

 protected:
  at::Tensor forward(const at::Tensor& x) override;

 private:
  at::Tensor attended(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) const;

  std::int64_t heads_;
  double scale_;
  bool residual_;
  RelativePositions positions_;
  std::array<at::Tensor*, 3> tables_{};  // frames, rows, columns; null without relative positions
  Child<Linear> qkv_;
  Child<Sequential> project_;
  Child<TokenPool> pool_q_, pool_k_, pool_v_;
};

}  // namespace kinema::mvit
