#include "framework/media/resample.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace kinema::media {
namespace {

constexpr int kWidth = 64, kHeight = 48, kOut = 24;

struct Window {
  double x, width;
  bool flip;
};

std::vector<std::uint8_t> resampled(Resampler& resampler, const std::vector<std::uint8_t>& rgb,
                                    Window window) {
  const Taps columns = make_taps(window.x, window.width, kOut, 0, kWidth - 1, window.flip);
  const Taps rows = make_taps(3, 31, kOut, 0, kHeight - 1, false);
  std::vector<std::uint8_t> out(std::size_t{3} * kOut * kOut);
  resampler.run(rgb.data(), std::size_t{3} * kWidth, 0, 0, columns, rows, out.data());
  return out;
}

TEST(resampler, does_not_remember_the_window_before) {
  std::mt19937 random(9);
  std::vector<std::uint8_t> rgb(std::size_t{3} * kWidth * kHeight);
  for (auto& byte : rgb) byte = static_cast<std::uint8_t>(random());
  Resampler kept;
  // the same taps from another first column on, other weights, a mirrored window, a copy, and back
  for (const Window window : {Window{5, 30, false}, Window{6, 30, false}, Window{5, 30.5, false},
                              Window{5, 30, true}, Window{5, kOut, false}, Window{5, 30, false}}) {
    Resampler fresh;
    EXPECT_EQ(resampled(kept, rgb, window), resampled(fresh, rgb, window)) << window.x << " " << window.width;
  }
}

}  // namespace
}  // namespace kinema::media
