#include "kinema/random.h"

#include <gtest/gtest.h>

#include <array>
#include <set>

namespace kinema {
namespace {

TEST(random, is_splitmix64) {
  // First outputs of the reference implementation (Vigna, splitmix64.c, public domain) for the state 1234567.
  Random random(1234567);
  EXPECT_EQ(random.bits(), 6457827717110365317u);
  EXPECT_EQ(random.bits(), 3203168211198807973u);
  EXPECT_EQ(random.bits(), 9817491932198370423u);
  EXPECT_EQ(random.bits(), 4593380528125082431u);
}

TEST(random, is_a_function_of_seed_epoch_index_and_purpose_alone) {
  EXPECT_EQ(Random(1, 2, 3, "crop").bits(), Random(1, 2, 3, "crop").bits());
  std::set<std::uint64_t> first;
  for (const char* purpose : {"crop", "flip", ""})
    for (std::uint64_t seed = 0; seed < 8; ++seed)
      for (std::uint64_t epoch = 0; epoch < 8; ++epoch)
        for (std::uint64_t index = 0; index < 8; ++index)
          first.insert(Random(seed, epoch, index, purpose).bits());
  EXPECT_EQ(first.size(), 3u * 8 * 8 * 8);
}

TEST(random, uniform_numbers_fill_their_range_evenly) {
  Random random(1, 0, 0, "test");
  std::array<int, 10> counts{};
  double sum = 0;
  for (int i = 0; i < 100000; ++i) {
    const double x = random.uniform();
    ASSERT_GE(x, 0);
    ASSERT_LT(x, 1);
    ++counts[static_cast<std::size_t>(x * 10)];
    sum += x;
  }
  EXPECT_NEAR(sum / 100000, 0.5, 0.005);
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  for (int i = 0; i < 1000; ++i) {
    const double x = random.uniform(-2, 3);
    ASSERT_GE(x, -2);
    ASSERT_LT(x, 3);
  }
}

TEST(random, below_gives_every_number_under_the_count) {
  Random random(1, 0, 0, "test");
  std::array<int, 7> counts{};
  for (int i = 0; i < 70000; ++i) ++counts[random.below(7)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 400);
  EXPECT_EQ(random.below(0), 0u);
  EXPECT_EQ(random.below(1), 0u);
}

TEST(random, chance_keeps_its_probability) {
  Random random(1, 0, 0, "test");
  int hits = 0;
  for (int i = 0; i < 100000; ++i) hits += random.chance(0.3);
  EXPECT_NEAR(hits, 30000, 600);
  EXPECT_FALSE(random.chance(0));
  EXPECT_TRUE(random.chance(1));
}

TEST(random, the_same_index_in_consecutive_epochs_is_not_correlated) {
  double product = 0;
  for (std::uint64_t index = 0; index < 100000; ++index)
    product += (Random(1, 0, index, "crop").uniform() - 0.5) * (Random(1, 1, index, "crop").uniform() - 0.5);
  EXPECT_NEAR(product / 100000 * 12, 0, 0.02);
}

}  // namespace
}  // namespace kinema
