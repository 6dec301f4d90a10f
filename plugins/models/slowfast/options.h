#pragma once

#include <cstdint>
#include <vector>

#include "blocks/pathway_resnet.h"

namespace kinema::slowfast {

// One pathway: c2d has kernels of one frame and a pool over time after the first stage, slow_c2d no pool;
// slow has kernels of three frames in the last two stages. slowfast adds a fast and narrow pathway to slow.
enum class Architecture { c2d, slow_c2d, slow, slowfast };

struct SlowfastOptions : blocks::ResnetOptions {
  Architecture architecture = Architecture::slowfast;
  blocks::Arrangement layout = blocks::Arrangement::pyslowfast;
  std::int64_t alpha = 8;
  std::int64_t beta = 8;
  std::int64_t fusion_kernel = 5;
  std::int64_t fusion_ratio = 2;
  std::vector<std::int64_t> temporal_blocks;  // of the third stage: slow, fast; empty: all
};

}  // namespace kinema::slowfast
