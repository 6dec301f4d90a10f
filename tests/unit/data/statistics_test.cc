#include "framework/data/statistics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/data/clip_source.h"
#include "tests/support/clips.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// Frames of one colour each.
class Flat final : public FrameSource {
 public:
  explicit Flat(std::vector<std::array<std::uint8_t, 3>> colours) : colours_(std::move(colours)) {}
  Facts facts() const override { return {{8, 6}, std::ssize(colours_), 10}; }
  void read(std::int64_t index, std::span<std::uint8_t> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = colours_.at(static_cast<std::size_t>(index))[i % 3];
  }

 private:
  std::vector<std::array<std::uint8_t, 3>> colours_;
};

TEST(statistics, counts_classes_lengths_sizes_and_what_cannot_be_read) {
  const test::Scratch scratch;
  test::make_clip(scratch / "a.mp4", {.frames = 20});
  test::make_clip(scratch / "b.mp4", {.frames = 30, .size = {32, 48}, .fps = 10});
  test::ListedItems set;
  set.names = {"run", "walk", "wave"};
  set.add_video(scratch / "a.mp4", 0);
  set.add_video(scratch / "b.mp4", 0);
  set.add_video(scratch / "b.mp4", 1);
  set.items[2].span = {Span::Unit::seconds, 1, 2};
  set.add_video(scratch / "gone.mp4", 1);
  set.add_video(scratch / "a.mp4", -1);
  set.items[4].span = {Span::Unit::frames, 40, 50};
  const Statistics found = statistics_of(set, {.pixel_frames = 0});
  EXPECT_EQ(found.items, 5u);
  EXPECT_EQ(found.files, 3u);
  EXPECT_THAT(found.items_of_class, ElementsAre(2, 2, 0));
  EXPECT_THAT(found.empty_classes(), ElementsAre("wave"));
  EXPECT_EQ(found.without_class, 1u);
  EXPECT_THAT(found.frames, ElementsAre(20, 30, 10));
  EXPECT_THAT(found.seconds, ElementsAre(DoubleNear(0.8, 1e-9), DoubleNear(3, 1e-9), DoubleNear(1, 1e-9)));
  EXPECT_THAT(found.sizes, ElementsAre(Pair(Pair(32, 48), 1), Pair(Pair(64, 48), 1)));
  EXPECT_THAT(found.rates, ElementsAre(Pair(10, 1), Pair(25, 1)));
  ASSERT_EQ(found.unreadable.size(), 2u);
  EXPECT_THAT(found.unreadable[0].reason, HasSubstr("no such file"));
  EXPECT_THAT(found.unreadable[1].reason, HasSubstr("nothing is left of the item's span"));
  EXPECT_FALSE(found.channels);
}

TEST(statistics, mean_and_deviation_are_those_of_the_pixels) {
  test::ListedItems set;
  set.names = {"a"};
  set.add(std::make_shared<Flat>(std::vector<std::array<std::uint8_t, 3>>{{0, 51, 255}, {255, 51, 0}}), 0);
  const Statistics found = statistics_of(set, {.pixel_frames = 4000});
  ASSERT_TRUE(found.channels);
  EXPECT_EQ(found.channels->frames, 4000u);
  EXPECT_THAT(found.channels->mean,
              ElementsAre(DoubleNear(0.5, 0.03), DoubleNear(0.2, 1e-12), DoubleNear(0.5, 0.03)));
  EXPECT_THAT(found.channels->std,
              ElementsAre(DoubleNear(0.5, 0.01), DoubleNear(0, 1e-7), DoubleNear(0.5, 0.01)));
}

TEST(statistics, do_not_depend_on_the_number_of_threads) {
  const auto set = test::counting_items(7);
  set->add(std::make_shared<test::BrokenFrames>(), 0);
  Statistics first;
  for (const std::int64_t threads : {1, 2, 5}) {
    const Statistics found = statistics_of(*set, {.pixel_frames = 50, .threads = threads});
    if (threads == 1) first = found;
    ASSERT_TRUE(found.channels);
    EXPECT_EQ(found.channels->mean, first.channels->mean);
    EXPECT_EQ(found.channels->std, first.channels->std);
    EXPECT_LT(found.channels->frames, 50u) << "those of the broken item cannot count";
    EXPECT_EQ(found.frames, first.frames);
  }
}

TEST(statistics, boxes_count_by_class_and_an_item_once) {
  const auto set = test::counting_items(1);
  set->items[0].target.label = -1;
  set->items[0].target.boxes = {{0, 0, 1, 1, {0, 2}}, {0, 0, 0.5, 1, {2}}};
  const Statistics found = statistics_of(*set, {.pixel_frames = 0});
  EXPECT_THAT(found.boxes_of_class, ElementsAre(1, 0, 2));
  EXPECT_THAT(found.items_of_class, ElementsAre(1, 0, 1));
  EXPECT_EQ(found.without_class, 0u);
}

TEST(statistics, a_spread_and_a_histogram_hold_every_value) {
  const Spread spread = spread_of({5, 1, 2, 10});
  EXPECT_EQ(spread.least, 1);
  EXPECT_EQ(spread.median, 3.5);
  EXPECT_EQ(spread.most, 10);
  const std::vector<Bin> bins = histogram_of({0, 1, 2, 3, 10}, 5);
  ASSERT_EQ(bins.size(), 5u);
  EXPECT_EQ(bins[0].count, 2u);
  EXPECT_EQ(bins[1].count, 2u);
  EXPECT_EQ(bins[4].count, 1u);
  EXPECT_EQ(histogram_of({4, 4}, 5).size(), 1u);
}

}  // namespace
}  // namespace kinema::data
