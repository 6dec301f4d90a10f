#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace kinema::data {

// Of each channel of pixels of three interleaved bytes; exact sums. Zeros of none.
std::array<double, 3> pixel_means(std::span<const std::uint8_t> rgb);

}  // namespace kinema::data
