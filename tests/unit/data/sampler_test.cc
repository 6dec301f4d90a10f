#include "framework/data/sampler.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "kinema/error.h"
#include "tests/support/golden.h"

namespace kinema::data {
namespace {

TrainScheduleOptions train(std::size_t items, std::int64_t batch, Rank rank = {}) {
  TrainScheduleOptions options;
  options.items = items;
  options.batch = batch;
  options.rank = rank;
  options.seed = 3;
  return options;
}

std::vector<ClipRequest> whole_epoch(const Schedule& schedule, std::uint64_t epoch) {
  std::vector<ClipRequest> all;
  for (std::int64_t b = 0; b < schedule.batches(); ++b) {
    const auto batch = schedule.batch(epoch, b);
    EXPECT_EQ(static_cast<std::int64_t>(batch.size()), schedule.clips(b));
    all.insert(all.end(), batch.begin(), batch.end());
  }
  return all;
}

std::vector<std::size_t> items_of(const std::vector<ClipRequest>& requests) {
  std::vector<std::size_t> items;
  for (const ClipRequest& r : requests) items.push_back(r.item);
  return items;
}

TEST(sampler, ranks_share_the_items_as_the_reference_sampler_does) {
  for (const auto& c : test::golden_cases("datasets/distributed_sampler.json")) {
    const std::int64_t world = c["world"];
    for (std::int64_t rank = 0; rank < world; ++rank) {
      TrainScheduleOptions options = train(c["n"], 1, {rank, world});
      options.shuffle = false;
      options.drop_last = c["drop_last"];
      EXPECT_EQ(items_of(whole_epoch(TrainSchedule(options), 0)),
                c["ranks"][rank].get<std::vector<std::size_t>>())
          << c;
    }
  }
}

TEST(sampler, an_epoch_is_a_permutation_that_depends_on_seed_and_epoch) {
  const TrainSchedule schedule(train(100, 10));
  std::vector<std::size_t> first = items_of(whole_epoch(schedule, 0));
  const std::vector<std::size_t> second = items_of(whole_epoch(schedule, 1));
  EXPECT_NE(first, second);
  EXPECT_EQ(first, items_of(whole_epoch(TrainSchedule(train(100, 10)), 0)));
  TrainScheduleOptions other = train(100, 10);
  other.seed = 4;
  EXPECT_NE(first, items_of(whole_epoch(TrainSchedule(other), 0)));
  EXPECT_FALSE(std::is_sorted(first.begin(), first.end()));
  std::sort(first.begin(), first.end());
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(first[i], i);
}

TEST(sampler, positions_are_equally_likely) {
  std::map<std::size_t, int> where;
  const TrainSchedule schedule(train(5, 5));
  for (std::uint64_t epoch = 0; epoch < 2000; ++epoch) {
    const auto items = items_of(schedule.batch(epoch, 0));
    ++where[static_cast<std::size_t>(std::find(items.begin(), items.end(), 0u) - items.begin())];
  }
  for (const auto& [position, count] : where) EXPECT_NEAR(count, 400, 80) << position;
}

TEST(sampler, global_batches_are_the_same_for_any_world_size) {
  const TrainSchedule alone(train(50, 12));
  for (const std::int64_t world : {2, 3, 4}) {
    for (std::int64_t b = 0; b < alone.batches(); ++b) {
      std::vector<std::size_t> merged(12);
      for (std::int64_t rank = 0; rank < world; ++rank) {
        const TrainSchedule schedule(train(50, 12 / world, {rank, world}));
        ASSERT_EQ(schedule.batches(), alone.batches());
        const auto items = items_of(schedule.batch(5, b));
        for (std::size_t i = 0; i < items.size(); ++i)
          merged[i * static_cast<std::size_t>(world) + static_cast<std::size_t>(rank)] = items[i];
      }
      EXPECT_EQ(merged, items_of(alone.batch(5, b))) << "world " << world << " batch " << b;
    }
  }
}

TEST(sampler, any_micro_batch_can_be_asked_for_at_once) {
  const TrainSchedule schedule(train(97, 8));
  const auto all = items_of(whole_epoch(schedule, 2));
  const TrainSchedule fresh(train(97, 8));
  const auto fifth = items_of(fresh.batch(2, 5));
  EXPECT_TRUE(std::equal(fifth.begin(), fifth.end(), all.begin() + 40));
}

TEST(sampler, drop_last_and_keep_last_agree_on_sizes_over_ranks) {
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    TrainScheduleOptions options = train(20, 2, {rank, 3});
    EXPECT_EQ(TrainSchedule(options).batches(), 3);
    options.drop_last = false;
    const TrainSchedule kept(options);
    EXPECT_EQ(kept.batches(), 4);
    EXPECT_EQ(kept.clips(0), 2);
    EXPECT_EQ(kept.clips(3), 1);  // 20 clips, filled up to 21
    options.limit = 2;
    EXPECT_EQ(TrainSchedule(options).batches(), 2);
  }
}

TEST(sampler, a_video_is_drawn_several_times_an_epoch) {
  TrainScheduleOptions options = train(6, 4);
  options.clips_per_video = 2;
  std::set<std::pair<std::size_t, std::int64_t>> seen;
  for (const ClipRequest& r : whole_epoch(TrainSchedule(options), 0)) seen.insert({r.item, r.temporal_view});
  EXPECT_EQ(seen.size(), 12u);
}

TEST(sampler, repeats_share_the_items_as_the_reference_does) {
  for (const auto& c : test::golden_cases("datasets/repeated_augmentation.json")) {
    const std::int64_t world = c["world"];
    for (std::int64_t rank = 0; rank < world; ++rank) {
      TrainScheduleOptions options = train(c["n"], 3, {rank, world});
      options.shuffle = false;
      options.drop_last = false;
      options.repeated = c["repeats"];
      EXPECT_EQ(items_of(whole_epoch(TrainSchedule(options), 0)),
                c["ranks"][rank].get<std::vector<std::size_t>>())
          << c;
    }
  }
}

TEST(sampler, repeats_of_an_item_stand_in_one_global_batch_and_differ) {
  TrainScheduleOptions options = train(20, 8);
  options.repeated = 4;
  const TrainSchedule schedule(options);
  EXPECT_EQ(schedule.batches(), 10);  // every item four times
  std::set<std::size_t> items;
  for (std::int64_t b = 0; b < 10; ++b) {
    const auto batch = schedule.batch(1, b);
    for (std::size_t i = 0; i < 8; ++i) {
      EXPECT_EQ(batch[i].item, batch[i / 4 * 4].item);
      EXPECT_EQ(batch[i].again, static_cast<std::int64_t>(i % 4));
      items.insert(batch[i].item);
    }
  }
  EXPECT_EQ(items.size(), 20u);
}

TrainScheduleOptions chosen(config::Balance balance, std::int64_t batch, Rank rank = {}) {
  TrainScheduleOptions options = train(50, batch, rank);
  options.balance = balance;
  options.repeated = 2;
  for (std::int64_t i = 0; i < 50; ++i) {
    options.labels.push_back(i < 40 ? 0 : i % 3);
    options.weights.push_back(i % 7);
  }
  return options;
}

TEST(sampler, chosen_items_are_the_same_for_any_world_size_and_any_place_can_be_asked_for_at_once) {
  using config::Balance;
  for (const Balance balance : {Balance::none, Balance::by_class, Balance::by_weight}) {
    const TrainSchedule alone(chosen(balance, 12));
    for (const std::int64_t world : {2, 3, 4})
      for (std::int64_t b = alone.batches() - 1; b >= 0; --b) {
        std::vector<ClipRequest> merged(12);
        for (std::int64_t rank = 0; rank < world; ++rank) {
          const auto own = TrainSchedule(chosen(balance, 12 / world, {rank, world})).batch(5, b);
          for (std::size_t i = 0; i < own.size(); ++i)
            merged[i * static_cast<std::size_t>(world) + static_cast<std::size_t>(rank)] = own[i];
        }
        EXPECT_EQ(merged, alone.batch(5, b)) << "world " << world << " batch " << b;
      }
  }
}

TEST(sampler, balanced_items_come_from_each_class_as_often) {
  TrainScheduleOptions options = chosen(config::Balance::by_class, 10);
  options.repeated = 1;
  options.clips_per_video = 3;
  std::map<std::int64_t, int> of_class;
  std::set<std::tuple<std::size_t, std::int64_t, std::int64_t>> different;
  for (const ClipRequest& r : whole_epoch(TrainSchedule(options), 2)) {
    ++of_class[options.labels[r.item]];
    different.insert({r.item, r.temporal_view, r.again});
  }
  EXPECT_THAT(of_class,
              testing::ElementsAre(testing::Pair(0, 50), testing::Pair(1, 50), testing::Pair(2, 50)));
  EXPECT_EQ(different.size(), 150u) << "each clip has random numbers of its own";
}

TEST(sampler, says_why_items_cannot_be_chosen_so) {
  const auto message = [](const TrainScheduleOptions& options) {
    try {
      TrainSchedule schedule(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  TrainScheduleOptions options = chosen(config::Balance::by_class, 5, {0, 3});
  EXPECT_THAT(message(options),
              testing::HasSubstr("loader.repeated: the clips of an item would be split over "
                                 "batches: expected a divisor of batch x ranks = 5 x 3, got 2"));
  options = chosen(config::Balance::by_class, 4);
  options.labels[3] = options.labels[4] = -1;
  EXPECT_THAT(message(options),
              testing::HasSubstr("items without a class of their own: expected one label each, "
                                 "got none for 2 of 50"));
  options = chosen(config::Balance::by_weight, 4);
  options.weights[7] = -2;
  EXPECT_THAT(message(options),
              testing::HasSubstr("impossible weight: expected a number of at least 0, got -2 of item 7"));
  options.weights.assign(50, 0);
  EXPECT_THAT(message(options), testing::HasSubstr("all weights are 0"));
}

TEST(sampler, an_epoch_without_a_batch_is_refused) {
  const auto message = [](const TrainScheduleOptions& options) {
    try {
      TrainSchedule schedule(options);
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message(train(7, 8)),
              testing::HasSubstr("not a single batch an epoch: expected at least 8 clips, got 7"));
  EXPECT_THAT(message(train(0, 8)), testing::HasSubstr("look at the data set's root"));
}

TEST(sampler, evaluation_sees_every_view_of_every_item_once_over_all_ranks) {
  for (const std::int64_t world : {1, 2, 3, 5}) {
    std::map<std::size_t, int> views;
    for (std::int64_t rank = 0; rank < world; ++rank) {
      const EvalSchedule schedule({11, 2, 3, 4, {rank, world}, {}});
      std::set<std::size_t> own;
      for (const ClipRequest& r : whole_epoch(schedule, 0)) {
        ++views[r.item];
        own.insert(r.item);
        EXPECT_LT(r.temporal_view, 2);
        EXPECT_LT(r.spatial_view, 3);
      }
      EXPECT_EQ(static_cast<std::int64_t>(own.size()), schedule.items());
    }
    EXPECT_EQ(views.size(), 11u);
    for (const auto& [item, count] : views) EXPECT_EQ(count, 6) << item;
  }
}

TEST(sampler, evaluation_batches_may_be_short_or_none) {
  const EvalSchedule schedule({5, 1, 1, 2, {}, {}});
  EXPECT_EQ(schedule.batches(), 3);
  EXPECT_EQ(schedule.clips(2), 1);
  EXPECT_EQ(EvalSchedule({2, 1, 1, 2, {2, 3}, {}}).batches(), 0);
  EXPECT_EQ(EvalSchedule({0, 1, 1, 2, {}, {}}).batches(), 0);
}

TEST(sampler, a_limited_evaluation_is_spread_over_the_data_set) {
  const EvalSchedule schedule({100, 1, 1, 4, {}, 4});
  EXPECT_EQ(items_of(whole_epoch(schedule, 0)), (std::vector<std::size_t>{0, 25, 50, 75}));
}

}  // namespace
}  // namespace kinema::data
