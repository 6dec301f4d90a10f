#include "relative_positions.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/upsample_linear1d.h>

#include <algorithm>

namespace kinema::mvit {
namespace {

constexpr std::int64_t kAlignment = 8;  // of channels, for fused attention on GPUs

// Distances are counted on the finer of the two grids, in float32 and rounded towards zero as torchvision
// does: where one is not a multiple of the other, the rounding decides.
at::Tensor distance_rows(std::int64_t queries, std::int64_t keys) {
  const double q = static_cast<double>(queries), k = static_cast<double>(keys);
  const at::Tensor query = at::arange(queries).unsqueeze(1).mul(std::max(k / q, 1.0));
  const at::Tensor key = at::arange(keys).unsqueeze(0).add(1.0 - k).mul(std::max(q / k, 1.0));
  return query.sub(key).to(at::kLong).flatten();
}

}  // namespace

RelativePositions::RelativePositions(const Grid& queries, const Grid& keys) : queries_(queries), keys_(keys) {
  for (std::size_t axis = 0; axis < 3; ++axis) rows_[axis] = distance_rows(queries[axis], keys[axis]);
}

// [queries, keys, D] along an axis.
at::Tensor RelativePositions::vectors(const at::Tensor& table, std::size_t axis) const {
  const std::int64_t rows = 2 * std::max(queries_[axis], keys_[axis]) - 1;
  const at::Tensor fitting =
      table.size(0) == rows ? table
                            : at::upsample_linear1d(table.t().unsqueeze(0), {rows}, false).squeeze(0).t();
  const at::Tensor index = rows_[axis].to(table.device(), at::kLong, true);
  return fitting.index_select(0, index).view({queries_[axis], keys_[axis], table.size(1)});
}

std::int64_t RelativePositions::unused(const at::Tensor& q) const {
  return (kAlignment - (q.size(3) + channels()) % kAlignment) % kAlignment;
}

// The product of each query and each axis's vectors.
at::Tensor RelativePositions::query_channels(const at::Tensor& q,
                                             const std::array<at::Tensor, 3>& tables) const {
  const at::Tensor places =
      q.narrow(2, 1, positions_of(queries_)).reshape({-1, queries_[0], queries_[1], queries_[2], q.size(3)});
  const at::Tensor products = at::cat({at::einsum("nthwc,tkc->nthwk", {places, vectors(tables[0], 0)}),
                                       at::einsum("nthwc,hkc->nthwk", {places, vectors(tables[1], 1)}),
                                       at::einsum("nthwc,wkc->nthwk", {places, vectors(tables[2], 2)})},
                                      4);
  return at::constant_pad_nd(products.reshape({q.size(0), q.size(1), -1, channels()}), {0, unused(q), 1, 0});
}

// 1 in the channels of the key's own frame, row and column.
at::Tensor RelativePositions::key_channels(const at::Tensor& k) const {
  const auto one_hot = [&](std::int64_t axis) {
    const std::int64_t size = keys_[static_cast<std::size_t>(axis)];
    std::vector<std::int64_t> shape = {1, 1, 1, size};
    shape[static_cast<std::size_t>(axis)] = size;
    return at::eye(size, k.options()).view(shape).expand({keys_[0], keys_[1], keys_[2], size});
  };
  const at::Tensor places = at::cat({one_hot(0), one_hot(1), one_hot(2)}, 3).flatten(0, 2);
  return at::constant_pad_nd(places, {0, unused(k), 1, 0});
}

std::pair<at::Tensor, at::Tensor> RelativePositions::applied(const at::Tensor& q, const at::Tensor& k,
                                                             double scale,
                                                             const std::array<at::Tensor, 3>& tables) const {
  const at::Tensor more = key_channels(k);
  return {at::cat({q.mul(scale), query_channels(q, tables)}, 3),
          at::cat({k, more.expand({k.size(0), k.size(1), more.size(0), more.size(1)})}, 3)};
}

}  // namespace kinema::mvit
