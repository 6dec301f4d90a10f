#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <utility>

#include "plan.h"

namespace kinema::mvit {

// Decomposed relative positions (Li et al. 2022, "MViTv2: Improved Multiscale Vision Transformers for
// Classification and Detection", eq. 4): to the score of a query and a key is added the product of the query
// and the sum of three vectors, one for their distance along each axis. The class token has no place.
class RelativePositions {
 public:
  RelativePositions() = default;
  RelativePositions(const Grid& queries, const Grid& keys);

  // Queries [N, heads, 1 + positions, D] and keys with more channels, whose products are the scores: those of
  // `scale` times the queries and the keys, plus those of the positions. `tables` are along frames, rows,
  // columns.
  std::pair<at::Tensor, at::Tensor> applied(const at::Tensor& q, const at::Tensor& k, double scale,
                                            const std::array<at::Tensor, 3>& tables) const;

 private:
  at::Tensor query_channels(const at::Tensor& q, const std::array<at::Tensor, 3>& tables) const;
  at::Tensor key_channels(const at::Tensor& k) const;
  at::Tensor vectors(const at::Tensor& table, std::size_t axis) const;
  std::int64_t channels() const { return keys_[0] + keys_[1] + keys_[2]; }
  std::int64_t unused(const at::Tensor& q) const;

  Grid queries_{}, keys_{};
  std::array<at::Tensor, 3> rows_;  // of each axis: the table's row for each query and key
};

}  // namespace kinema::mvit
