#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "kinema/layers.h"
#include "options.h"

namespace kinema::mvit {

// Tokens along the axes: frames, rows, columns.
using Grid = std::array<std::int64_t, 3>;

std::int64_t positions_of(const Grid& grid);

inline constexpr double kNormEps = 1e-6;  // of every layer norm

// A window that slides over tokens. Kernel 1 and stride 1 leave all as it is.
struct Pooling {
  Extent<3> kernel = 1;
  Extent<3> stride = 1;

  bool pools() const;
  Extent<3> padding() const;
  Grid of(const Grid& grid) const;  // what it leaves
};

// The pooling that takes what goes past an attention to the places of its queries.
Pooling skip_pooling(const Pooling& queries);

struct BlockPlan {
  std::int64_t in = 0, attention = 0, out = 0;  // channels of its tokens, of its attention, of what it gives
  std::int64_t heads = 1;
  Pooling q, kv;
  Grid grid;  // of the tokens that come in
  // Rows of the tables of relative positions along time and along space. The published networks count the
  // tokens by dividing sizes, rounded down; where pooling rounds up, tables are interpolated.
  std::int64_t temporal_rows = 0, spatial_rows = 0;
};

// The tokens that a clip of this size becomes.
Grid patches(const MvitOptions& options, const Grid& clip);
// The clip that the options' tables of positions are for.
Grid clip_of(const MvitOptions& options);

std::vector<BlockPlan> plan_blocks(const MvitOptions& options);

// What is wrong with the options as a whole.
std::vector<std::string> problems_of(const MvitOptions& options);

}  // namespace kinema::mvit
