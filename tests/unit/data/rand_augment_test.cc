#include "framework/data/rand_augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::data {
namespace {

std::vector<std::uint8_t> formula_bytes(std::size_t count) {
  std::vector<std::uint8_t> bytes(count);
  const std::uint64_t hash = test::formula_hash("frames");
  for (std::size_t i = 0; i < count; ++i)
    bytes[i] = static_cast<std::uint8_t>(std::floor(256 * test::formula_unit(hash, i)));
  return bytes;
}

// Tables are equal to the byte. Blends are cut there and rounded here, and a mean of rounded greys is rounded
// again.
int tolerance(int operation) {
  constexpr int kTables = 7, kRotate = 3;
  return operation < kTables && operation != kRotate ? 0 : 2;
}

TEST(rand_augment, operations_equal_the_imaging_library_s) {
  int compared = 0;
  const nlohmann::json file = test::golden("transforms/rand_augment.json");
  const Size size{file["size"][1].get<int>(), file["size"][0].get<int>()};
  for (const nlohmann::json& c : file["cases"]) {
    const std::vector<int> expected = c["output"];
    std::vector<std::uint8_t> bytes = formula_bytes(expected.size());
    rand_augment_operation({bytes.data(), 1, size}, c["operation"], c["magnitude"], c["sign"]);
    int worst = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) worst = std::max(worst, std::abs(bytes[i] - expected[i]));
    EXPECT_LE(worst, tolerance(c["operation"])) << "operation " << c["operation"] << " at " << c["magnitude"];
    ++compared;
  }
  EXPECT_EQ(compared, 2 * kRandAugmentOperations);
}

TEST(rand_augment, does_the_same_to_every_frame) {
  const std::size_t frame = 8 * 9 * 3;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    std::vector<std::uint8_t> bytes = formula_bytes(frame);
    bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + frame);
    Random random(seed);
    RandAugment().pixels({bytes.data(), 2, {9, 8}}, random);
    EXPECT_TRUE(std::equal(bytes.begin(), bytes.begin() + frame, bytes.begin() + frame)) << "seed " << seed;
  }
}

// Both operations are left out for a quarter of the clips, and some change nothing in a frame of all bytes.
TEST(rand_augment, leaves_some_clips_alone_and_varies_the_others) {
  const std::vector<std::uint8_t> source = formula_bytes(8 * 9 * 3);
  std::set<std::string> results;
  int untouched = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    std::vector<std::uint8_t> bytes = source;
    Random random(seed);
    RandAugment().pixels({bytes.data(), 1, {9, 8}}, random);
    untouched += bytes == source;
    results.emplace(bytes.begin(), bytes.end());
  }
  EXPECT_NEAR(untouched / 400.0, 0.3, 0.07);
  EXPECT_GT(results.size(), 200u);
}

}  // namespace
}  // namespace kinema::data
