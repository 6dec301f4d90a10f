#include "framework/data/pixel_means.h"

namespace kinema::data {

std::array<double, 3> pixel_means(std::span<const std::uint8_t> rgb) {
  // Runs of whole pixels and whole vectors, short enough that no sum overflows.
  constexpr std::size_t kLanes = 96, kMost = 4096;
  std::array<std::uint64_t, 3> sums{};
  std::size_t at = 0;
  while (rgb.size() - at >= kLanes) {
    std::uint32_t lanes[kLanes] = {};
    for (std::size_t run = 0; run < kMost && rgb.size() - at >= kLanes; ++run, at += kLanes)
      for (std::size_t i = 0; i < kLanes; ++i) lanes[i] += rgb[at + i];
    for (std::size_t i = 0; i < kLanes; ++i) sums[i % 3] += lanes[i];
  }
  for (; at < rgb.size(); ++at) sums[at % 3] += rgb[at];
  std::array<double, 3> means{};
  if (rgb.size() < 3) return means;
  for (std::size_t c = 0; c < 3; ++c)
    means[c] = static_cast<double>(sums[c]) / static_cast<double>(rgb.size() / 3);
  return means;
}

}  // namespace kinema::data
