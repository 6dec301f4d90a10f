#pragma once

#include <array>
#include <cstdint>

#include "framework/data/loader.h"

namespace kinema::data {

// What one epoch of a loader took when nobody works with its batches.
struct LoaderPace {
  double seconds = 0, cpu_seconds = 0;  // from start() to the end; of the whole process
  double wait_s = 0;                    // of it in next()
  std::int64_t clips = 0, batches = 0, bytes = 0;
  std::array<double, 3> means = {};  // of all clips' channels, where asked for
};

// Takes every batch of an epoch, and gives it back at once. Throws what next() throws.
LoaderPace loader_pace(Loader& loader, std::uint64_t epoch, bool check);

}  // namespace kinema::data
