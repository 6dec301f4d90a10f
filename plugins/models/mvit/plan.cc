#include "plan.h"

#include <algorithm>

namespace kinema::mvit {
namespace {

Extent<3> extent(const std::vector<std::int64_t>& sizes) { return {sizes[0], sizes[1], sizes[2]}; }

Grid divided(const Grid& sizes, const Extent<3>& by) {
  return {sizes[0] / by[0], sizes[1] / by[1], sizes[2] / by[2]};
}

Grid convolved(const Grid& sizes, const Extent<3>& kernel, const Extent<3>& stride,
               const Extent<3>& padding) {
  Grid out;
  for (std::size_t d = 0; d < 3; ++d) {
    const std::int64_t room = sizes[d] + 2 * padding[d] - kernel[d];
    out[d] = room < 0 ? 0 : room / stride[d] + 1;
  }
  return out;
}

Extent<3> divided_stride(const Extent<3>& stride, const Extent<3>& by) {
  Extent<3> out;
  for (std::size_t d = 0; d < 3; ++d) out[d] = std::max<std::int64_t>(1, stride[d] / by[d]);
  return out;
}

std::string count(std::int64_t n) { return std::to_string(n); }

// The first problem of the numbers of each stage; empty: none.
std::string stage_problem(const MvitOptions& o) {
  if (o.depths.empty()) return "no stages: expected at least 1 number in depths, got none";
  if (o.heads.size() != o.depths.size())
    return "wrong number of stages in heads: expected " + count(static_cast<std::int64_t>(o.depths.size())) +
           " as in depths, got " + count(static_cast<std::int64_t>(o.heads.size()));
  for (const BlockPlan& block : plan_blocks(o))
    if (block.attention % block.heads != 0)
      return "wrong heads: expected divisors of the " + count(block.attention) + " channels, got " +
             count(block.heads);
  return {};
}

// The first problem of the size of clips; empty: none.
std::string size_problem(const MvitOptions& o) {
  const Grid clip = clip_of(o), whole = divided(clip, extent(o.patch_stride)), grid = patches(o, clip);
  if (positions_of(whole) == 0 || grid != whole)
    return "wrong frames or crop: expected multiples of the patches' stride " + count(o.patch_stride[0]) +
           " and " + count(o.patch_stride[1]) + " that give as many patches, got " + count(o.frames) +
           " and " + count(o.crop);
  for (const BlockPlan& block : plan_blocks(o))
    if (block.q.of(block.grid) != skip_pooling(block.q).of(block.grid))
      return "wrong pool_kernel or q_stride: expected odd kernels and strides that leave as many queries as "
             "a maximum "
             "pool of kernel q_stride + 1 leaves of the tokens beside them";
  if (o.positions == Positions::absolute) return {};
  for (const BlockPlan& block : plan_blocks(o))
    if (block.spatial_rows < 1)
      return "frames or crop are too small for relative positions in every stage: expected more, got " +
             count(o.frames) + " and " + count(o.crop);
  return {};
}

}  // namespace

std::int64_t positions_of(const Grid& grid) { return grid[0] * grid[1] * grid[2]; }

bool Pooling::pools() const { return kernel != Extent<3>(1) || stride != Extent<3>(1); }

Extent<3> Pooling::padding() const { return {kernel[0] / 2, kernel[1] / 2, kernel[2] / 2}; }

Grid Pooling::of(const Grid& grid) const { return convolved(grid, kernel, stride, padding()); }

Pooling skip_pooling(const Pooling& queries) {
  Pooling skip{.stride = queries.stride};
  for (std::size_t d = 0; d < 3; ++d)
    if (skip.stride[d] > 1) skip.kernel[d] = skip.stride[d] + 1;
  return skip;
}

Grid clip_of(const MvitOptions& o) { return {o.frames, o.crop, o.crop}; }

Grid patches(const MvitOptions& o, const Grid& clip) {
  return convolved(clip, extent(o.patch_kernel), extent(o.patch_stride), extent(o.patch_padding));
}

std::vector<BlockPlan> plan_blocks(const MvitOptions& o) {
  const Extent<3> kernel = extent(o.pool_kernel), q_stride = extent(o.q_stride);
  std::vector<BlockPlan> blocks;
  Grid grid = patches(o, clip_of(o)), counted = divided(clip_of(o), extent(o.patch_stride));
  Extent<3> kv_stride = extent(o.kv_stride);
  for (std::size_t s = 0; s < o.depths.size(); ++s) {
    const std::int64_t width = o.embed_dim << s;
    for (std::int64_t b = 0; b < o.depths[s]; ++b) {
      const bool first = s > 0 && b == 0, last = s + 1 < o.depths.size() && b + 1 == o.depths[s];
      BlockPlan block{.in = width, .attention = width, .out = width, .heads = o.heads[s], .grid = grid};
      if (o.widening == Widening::mlp && last) block.out = 2 * width;
      if (o.widening == Widening::attention && first) block.in = width / 2;
      if (first) kv_stride = divided_stride(kv_stride, q_stride);
      if (first || o.pool_every_query) block.q = {kernel, first ? q_stride : Extent<3>(1)};
      block.kv = {kernel, kv_stride};
      const Grid queries = divided(counted, block.q.stride), keys = divided(counted, block.kv.stride);
      block.spatial_rows = 2 * std::max(queries[1], keys[1]) - 1;
      block.temporal_rows = 2 * counted[0] - 1;
      grid = block.q.of(grid);
      counted = queries;
      blocks.push_back(block);
    }
  }
  return blocks;
}

std::vector<std::string> problems_of(const MvitOptions& o) {
  std::string problem = stage_problem(o);
  if (problem.empty()) problem = size_problem(o);
  return problem.empty() ? std::vector<std::string>{} : std::vector{problem};
}

}  // namespace kinema::mvit
