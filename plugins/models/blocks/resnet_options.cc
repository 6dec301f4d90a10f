#include "blocks/resnet_options.h"

namespace kinema::blocks {
namespace {

constexpr std::size_t kStages = 4;

std::string count(std::size_t n) { return std::to_string(n); }

// The first problem of the places of non-local blocks; empty: none.
std::string nonlocal_problem(const ResnetOptions& o) {
  if (o.nonlocal_blocks.empty() && o.nonlocal != NonLocalKind::none && !o.blocks.empty())
    return "nonlocal_blocks is missing: expected a list for each stage, because the published places are "
           "those "
           "of a depth and not of blocks";
  if (o.nonlocal_blocks.empty()) return {};
  if (o.nonlocal_blocks.size() != kStages)
    return "wrong number of stages in nonlocal_blocks: expected 4 lists, got " +
           count(o.nonlocal_blocks.size());
  const std::vector<std::int64_t> blocks = blocks_per_stage(o);
  for (std::size_t s = 0; s < kStages; ++s)
    for (const std::int64_t b : o.nonlocal_blocks[s])
      if (b >= blocks[s])
        return "no such block in nonlocal_blocks: expected numbers below " + std::to_string(blocks[s]) +
               " for stage " + count(s + 1) + ", got " + std::to_string(b);
  return {};
}

}  // namespace

std::vector<std::int64_t> blocks_per_stage(const ResnetOptions& o) {
  if (!o.blocks.empty()) return o.blocks;
  if (o.depth == 101) return {3, 4, 23, 3};
  return {3, 4, 6, 3};
}

std::vector<std::string> problems_of(const ResnetOptions& o) {
  if (!o.blocks.empty() && o.blocks.size() != kStages)
    return {"wrong number of stages: expected 4 numbers in blocks, got " + count(o.blocks.size())};
  std::vector<std::string> wrong;
  if (const std::string problem = nonlocal_problem(o); !problem.empty()) wrong.push_back(problem);
  if (o.detection && o.activation == HeadActivation::softmax)
    wrong.push_back(
        "wrong activation: expected \"sigmoid\" with detection, where a box may have several classes, got "
        "\"softmax\"");
  return wrong;
}

}  // namespace kinema::blocks
