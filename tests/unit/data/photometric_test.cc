#include "framework/data/photometric.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "framework/data/transforms.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::data {
namespace {

struct Clip {
  std::vector<std::uint8_t> bytes;
  PixelView view;
  Clip(std::int64_t frames, Size size)
      : bytes(static_cast<std::size_t>(frames * size.height * size.width * 3)) {
    const std::uint64_t hash = test::formula_hash("frames");
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(std::floor(256 * test::formula_unit(hash, i)));
    view = {bytes.data(), frames, size};
  }
};

// The reference works on floats without clamping, and on channels that it takes for blue, green, red.
TEST(lighting, follows_the_reference_up_to_rounding_and_clamping) {
  int compared = 0;
  for (const nlohmann::json& c : test::golden_cases("transforms/lighting.json")) {
    const auto draws = c["alpha"].get<std::array<double, 3>>();
    const std::array<double, 3> shift = lighting_shift(draws, c["eigval"].get<std::vector<double>>());
    const Clip source(2, {6, 5});
    const std::vector<double> expected = c["output"];  // frames, channels, rows, columns, of bytes / 255
    for (std::size_t t = 0; t < 2; ++t)
      for (std::size_t channel = 0; channel < 3; ++channel)
        for (std::size_t p = 0; p < 30; ++p) {
          const double byte = source.bytes[(t * 30 + p) * 3 + channel];
          EXPECT_NEAR(byte / 255 + shift[2 - channel], expected[(t * 3 + channel) * 30 + p], 1e-6);
        }
    Clip shifted(2, {6, 5});
    shift_channels(shifted.view, shift);
    for (std::size_t i = 0; i < shifted.bytes.size(); ++i)
      EXPECT_NEAR(shifted.bytes[i], std::clamp(source.bytes[i] + 255 * shift[i % 3], 0.0, 255.0), 0.5 + 1e-9);
    ++compared;
  }
  EXPECT_EQ(compared, 1);
}

TEST(hue, turns_red_to_green_to_blue_and_leaves_grey) {
  std::vector<std::uint8_t> bytes = {255, 0, 0, 90, 90, 90, 200, 100, 50};
  const PixelView view{bytes.data(), 1, {3, 1}};
  turn_hue(view, 1.0 / 3);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{0, 255, 0, 90, 90, 90, 50, 200, 100}));
  turn_hue(view, -1.0 / 3);
  EXPECT_EQ(bytes, (std::vector<std::uint8_t>{255, 0, 0, 90, 90, 90, 200, 100, 50}));
}

TEST(colour_jitter, draws_every_order_and_leaves_out_what_is_zero) {
  const Clip source(1, {4, 4});
  std::set<std::string> results;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Clip clip(1, {4, 4});
    Random random(i);
    ColourJitter jitter;
    jitter.hue = 0.1;
    jitter.pixels(clip.view, random);
    results.emplace(clip.bytes.begin(), clip.bytes.end());
  }
  EXPECT_GT(results.size(), 190u);
  Clip clip(1, {4, 4});
  Random random(1);
  ColourJitter nothing;
  nothing.brightness = nothing.contrast = nothing.saturation = 0;
  nothing.pixels(clip.view, random);
  EXPECT_EQ(clip.bytes, source.bytes);
}

TEST(greyscale, makes_its_share_of_clips_grey) {
  int grey = 0;
  for (std::uint64_t i = 0; i < 400; ++i) {
    Clip clip(1, {2, 2});
    Random random(i);
    Greyscale some;
    some.probability = 0.25;
    some.pixels(clip.view, random);
    grey += clip.bytes[0] == clip.bytes[1] && clip.bytes[1] == clip.bytes[2];
  }
  EXPECT_NEAR(grey / 400.0, 0.25, 0.07);
}

TEST(random_erasing, covers_one_window_of_an_allowed_size_in_every_frame) {
  for (std::uint64_t i = 0; i < 50; ++i) {
    std::vector<std::uint8_t> bytes(3 * 20 * 30 * 3, 255);
    const PixelView view{bytes.data(), 3, {30, 20}};
    Random random(i);
    RandomErasing erasing;
    erasing.probability = 1;
    erasing.fill = RandomErasing::Fill::black;
    erasing.pixels(view, random);
    std::int64_t covered = 0;
    for (std::size_t p = 0; p < 600; ++p) {
      EXPECT_EQ(bytes[p * 3], bytes[(600 + p) * 3]);
      EXPECT_EQ(bytes[p * 3], bytes[(1200 + p) * 3]);
      covered += bytes[p * 3] == 0;
    }
    EXPECT_GE(covered, static_cast<std::int64_t>(600 * 0.02 * 0.5));
    EXPECT_LE(covered, static_cast<std::int64_t>(600 / 3.0 * 1.2));
  }
}

TEST(random_erasing, fills_with_noise_of_the_usual_mean_and_deviation) {
  std::vector<std::uint8_t> bytes(300 * 300 * 3, 0);
  const PixelView view{bytes.data(), 1, {300, 300}};
  RandomErasing erasing;
  erasing.probability = 1;
  erasing.area = {0.9, 1};
  erasing.aspect = {1, 1};
  Random random(3);
  erasing.pixels(view, random);
  double sum = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (bytes[i] == 0) continue;
    sum += bytes[i];
    squares += static_cast<double>(bytes[i]) * bytes[i];
    ++count;
  }
  EXPECT_NEAR(sum / count / 255, 0.45, 0.02);
  EXPECT_NEAR(std::sqrt(squares / count - sum / count * sum / count) / 255, 0.225, 0.02);
}

}  // namespace
}  // namespace kinema::data
