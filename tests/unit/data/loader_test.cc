#include "framework/data/loader.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "tests/unit/data/loader_setups.h"

namespace kinema::data {
namespace {

using namespace test_loader;

TEST(loader, bytes_are_the_same_for_any_number_of_workers) {
  const auto set = video_items();
  const auto expected = epoch_of(train_setup(set, 0), 3);
  ASSERT_EQ(expected.size(), 2u);
  for (const std::int64_t workers : {1, 4})
    EXPECT_EQ(epoch_of(train_setup(set, workers), 3), expected) << workers;
  const auto views = epoch_of(eval_setup(set, 0, 3), 0);
  EXPECT_EQ(views.size(), 6u);
  EXPECT_EQ(epoch_of(eval_setup(set, 4, 3), 0), views);
}

TEST(loader, epochs_differ_and_repeat_themselves) {
  const auto set = test::counting_items(10);
  Loader loader(train_setup(set, 2));
  loader.start(0);
  const auto first = rest_of(loader);
  loader.start(1);
  const auto second = rest_of(loader);
  loader.start(0);
  EXPECT_EQ(rest_of(loader), first);
  EXPECT_NE(first, second);
}

TEST(loader, resumes_at_any_micro_batch_with_the_same_rest) {
  const auto set = test::counting_items(22);
  const auto all = epoch_of(train_setup(set, 0), 5);
  ASSERT_EQ(all.size(), 6u);
  for (std::int64_t k = 0; k <= 6; ++k) {
    const std::vector<Taken> rest(all.begin() + k, all.end());
    EXPECT_EQ(epoch_of(train_setup(set, 3), 5, k), rest) << k;
  }
}

TEST(loader, batches_come_in_order_with_labels_weights_and_descriptions) {
  auto set = test::counting_items(7);
  for (std::size_t i = 0; i < 7; ++i) set->items[i].weight = static_cast<float>(i);
  Loader loader(train_setup(set, 3));
  loader.start(2);
  for (std::int64_t b = 0; b < loader.batches(); ++b) {
    const auto batch = loader.next();
    ASSERT_NE(batch, nullptr);
    EXPECT_EQ(batch->number, b);
    EXPECT_EQ(batch->epoch, 2u);
    EXPECT_EQ(batch->frames, 4);
    EXPECT_EQ(batch->size, (Size{16, 16}));
    EXPECT_EQ(batch->classes, 3);
    EXPECT_EQ(batch->modality, "rgb");
    EXPECT_FLOAT_EQ(batch->std[0], 0.225f);
    for (std::size_t i = 0; i < batch->infos.size(); ++i) {
      const ClipInfo& info = batch->infos[i];
      EXPECT_EQ(info.key, "item" + std::to_string(info.index));
      EXPECT_EQ(batch->labels[i], static_cast<std::int64_t>(info.index) % 3);
      EXPECT_EQ(batch->weights[i], static_cast<float>(info.index));
      EXPECT_EQ(info.frames.size(), 4u);
      EXPECT_EQ(info.frame_count, 10);
      EXPECT_TRUE(info.valid);
    }
  }
  EXPECT_EQ(loader.next(), nullptr);
  EXPECT_EQ(loader.next(), nullptr);
  EXPECT_EQ(loader.stats().clips, 7);
  EXPECT_EQ(loader.stats().unreadable, 0);
}

TEST(loader, vectors_boxes_and_modalities_travel_with_the_batch) {
  auto set = test::counting_items(3);
  set->items[1].target.values = {0.5f, 0.25f, 0.25f};
  set->items[2].target.boxes = {{0, 0, 1, 1, {0, 2}, 0.75}};
  for (Item& item : set->items) {
    item.sources.push_back(item.sources[0]);
    item.sources[1].modality = "flow";
  }
  Loader loader(eval_setup(set, 2));
  loader.start(0);
  const auto batch = loader.next();
  EXPECT_EQ(batch->values, (std::vector<float>{1, 0, 0, 0.5f, 0.25f, 0.25f, 0, 0, 1}));
  ASSERT_EQ(batch->boxes.size(), 1u);
  EXPECT_EQ(batch->boxes[0].clip, 2);
  EXPECT_EQ(batch->boxes[0].x2, 16);
  EXPECT_EQ(batch->boxes[0].classes, (std::vector<std::int64_t>{0, 2}));
  ASSERT_EQ(batch->extra.size(), 1u);
  EXPECT_EQ(batch->extra[0].modality, "flow");
  EXPECT_TRUE(
      std::equal(batch->pixels.get(), batch->pixels.get() + batch->bytes(), batch->extra[0].pixels.get()));
}

TEST(loader, memory_is_bounded_and_reused) {
  Loader loader(train_setup(test::counting_items(200), 3, 2));
  for (std::uint64_t epoch = 0; epoch < 2; ++epoch) {
    loader.start(epoch);
    while (loader.next()) {
    }
  }
  // `prefetch` under way, one with the caller, and what may be dropped at a restart.
  EXPECT_LE(loader.buffers_allocated(), 6u);
}

TEST(loader, buffers_outlive_the_loader) {
  std::unique_ptr<Batch> batch;
  {
    Loader loader(train_setup(test::counting_items(4), 2));
    loader.start(0);
    batch = loader.next();
  }
  EXPECT_EQ(taken(*batch).bytes.size(), static_cast<std::size_t>(batch->bytes()));
}

TEST(loader, can_be_stopped_restarted_and_destroyed_at_any_time) {
  const auto set = test::counting_items(40);
  for (int taken_first = 0; taken_first < 12; ++taken_first) {
    Loader loader(train_setup(set, 1 + taken_first % 4));
    if (taken_first % 3 != 0) loader.start(0);
    for (int i = 0; i < taken_first; ++i) loader.next();
    if (taken_first % 2 == 0) loader.stop();
    if (taken_first % 5 == 0) {
      loader.start(1);
      EXPECT_EQ(rest_of(loader).size(), 10u);
    }
  }
  Loader never_started(train_setup(set, 2));
  EXPECT_EQ(never_started.next(), nullptr);
}

// Slow enough to be caught in the middle.
class SlowFrames final : public FrameSource {
 public:
  Facts facts() const override { return {{16, 16}, 10, 25}; }
  void read(std::int64_t, std::span<std::uint8_t> out) const override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::fill(out.begin(), out.end(), std::uint8_t{1});
  }
};

TEST(loader, the_time_that_the_caller_waits_is_measured) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  for (int i = 0; i < 8; ++i) set->add(std::make_shared<SlowFrames>(), 0);
  Loader loader(train_setup(set, 1));
  loader.start(0);
  loader.next();
  EXPECT_GT(loader.stats().wait_s, 0.05);  // 4 clips of 4 frames
  loader.reset_stats();
  std::this_thread::sleep_for(std::chrono::milliseconds(400));
  loader.next();
  EXPECT_LT(loader.stats().wait_s, 0.05);
}

TEST(loader, automatic_workers_leave_a_core_to_the_model) {
  EXPECT_GE(automatic_workers(), 1);
  EXPECT_LE(automatic_workers(), std::max(1u, std::thread::hardware_concurrency()));
}

TEST(loader, boxes_are_those_that_the_crop_left_and_know_their_place) {
  auto set = std::make_shared<test::ListedBoxes>();
  set->add({{0, 0, 0.2, 1, {0}}, {0.25, 0, 0.75, 1, {1}}, {0.5, 0.5, 1, 1, {}}});
  set->add({});
  set->add({{0.75, 0, 0.8, 1, {0}}});
  Loader loader(eval_setup(set, 0));
  loader.start(0);
  const auto batch = loader.next();  // the middle 16 x 16 of 32 x 24
  ASSERT_EQ(batch->clips, 3);
  EXPECT_TRUE(batch->detection);
  ASSERT_EQ(batch->boxes.size(), 2u)
      << "the first box of the first and the only one of the last are cut away";
  EXPECT_EQ(batch->boxes[0].clip, 0);
  EXPECT_EQ(batch->boxes[0].box, 1u);
  EXPECT_EQ(batch->boxes[0].x1, 0);
  EXPECT_EQ(batch->boxes[0].x2, 16);
  EXPECT_EQ(batch->boxes[1].box, 2u);
  EXPECT_EQ(batch->boxes[1].x1, 8);
  EXPECT_EQ(batch->boxes[1].y1, 8);
  EXPECT_EQ(batch->boxes[1].x2, 16);
}

TEST(loader, clips_are_no_detection) {
  Loader loader(eval_setup(test::counting_items(1), 0));
  loader.start(0);
  EXPECT_FALSE(loader.next()->detection);
}

}  // namespace
}  // namespace kinema::data
