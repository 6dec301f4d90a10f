#include "framework/data/item_order.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

namespace kinema::data {
namespace {

std::map<std::uint32_t, std::uint32_t> times(const std::vector<EpochClip>& clips) {
  std::map<std::uint32_t, std::uint32_t> counts;
  for (const EpochClip& clip : clips) ++counts[clip.clip];
  return counts;
}

// Each time that a clip is there has a number of its own, from 0 on.
void expect_numbered(const std::vector<EpochClip>& clips) {
  std::map<std::uint32_t, std::set<std::uint32_t>> numbers;
  for (const EpochClip& clip : clips) numbers[clip.clip].insert(clip.again);
  for (const auto& [clip, count] : times(clips)) {
    EXPECT_EQ(numbers[clip].size(), count) << clip;
    EXPECT_EQ(*numbers[clip].rbegin(), count - 1) << clip;
  }
}

// 20 of class 0, 3 of class 2, 1 of class 5.
std::vector<std::int64_t> uneven_labels() {
  std::vector<std::int64_t> labels(20, 0);
  labels.insert(labels.end(), {2, 2, 2, 5});
  return labels;
}

TEST(balanced_clips, have_every_class_as_often_and_every_clip_of_a_class) {
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const auto clips = balanced_clips(uneven_labels(), 3, epoch);
    ASSERT_EQ(clips.size(), 24u);
    expect_numbered(clips);
    const auto counts = times(clips);
    std::map<std::int64_t, std::uint32_t> of_class;
    for (const auto& [clip, count] : counts) of_class[uneven_labels()[clip]] += count;
    EXPECT_THAT(of_class,
                testing::ElementsAre(testing::Pair(0, 8), testing::Pair(2, 8), testing::Pair(5, 8)));
    for (std::uint32_t clip = 20; clip < 23; ++clip)
      EXPECT_THAT(counts.at(clip), testing::AnyOf(2, 3)) << "8 over 3 clips";
  }
}

TEST(balanced_clips, differ_by_one_where_classes_do_not_divide_the_epoch_and_not_always_in_the_same_class) {
  const std::vector<std::int64_t> labels = {0, 0, 0, 0, 1, 1, 2};  // 7 over 3
  std::map<std::int64_t, int> larger;
  for (std::uint64_t epoch = 0; epoch < 300; ++epoch) {
    std::map<std::int64_t, int> of_class;
    for (const EpochClip& clip : balanced_clips(labels, 3, epoch)) ++of_class[labels[clip.clip]];
    for (const auto& [label, count] : of_class) {
      EXPECT_THAT(count, testing::AnyOf(2, 3));
      larger[label] += count == 3;
    }
  }
  for (const auto& [label, count] : larger) EXPECT_NEAR(count, 100, 40) << label;
}

TEST(balanced_clips, depend_on_seed_and_epoch_alone) {
  EXPECT_EQ(balanced_clips(uneven_labels(), 3, 1), balanced_clips(uneven_labels(), 3, 1));
  EXPECT_NE(balanced_clips(uneven_labels(), 3, 1), balanced_clips(uneven_labels(), 3, 2));
  EXPECT_NE(balanced_clips(uneven_labels(), 3, 1), balanced_clips(uneven_labels(), 4, 1));
}

TEST(weighted_clips, are_there_as_often_as_their_weight_says_within_one) {
  const std::vector<double> weights = {1, 2, 0, 3.5, 1, 0.25, 0.25, 8};  // 16 in all: half of each an epoch
  std::vector<double> mean(weights.size());
  constexpr int kEpochs = 400;
  for (std::uint64_t epoch = 0; epoch < kEpochs; ++epoch) {
    const auto clips = weighted_clips(weights, 3, epoch);
    ASSERT_EQ(clips.size(), 8u);
    expect_numbered(clips);
    auto counts = times(clips);
    for (std::uint32_t i = 0; i < weights.size(); ++i) {
      EXPECT_LT(std::abs(counts[i] - weights[i] / 2), 1) << i << " in epoch " << epoch;
      mean[i] += static_cast<double>(counts[i]) / kEpochs;
    }
  }
  for (std::size_t i = 0; i < weights.size(); ++i) EXPECT_NEAR(mean[i], weights[i] / 2, 0.1) << i;
}

TEST(weighted_clips, of_equal_weights_are_all_clips_once) {
  const auto counts = times(weighted_clips(std::vector<double>(1000, 0.1), 3, 0));
  EXPECT_EQ(counts.size(), 1000u);
}

TEST(repeated, puts_a_clip_several_times_in_a_row) {
  const std::vector<EpochClip> expected = {{4, 0}, {4, 1}, {2, 6}, {2, 7}};
  EXPECT_EQ(repeated({{4, 0}, {2, 3}}, 2), expected);
}

}  // namespace
}  // namespace kinema::data
