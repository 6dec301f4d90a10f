#include "framework/data/loader.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "framework/data/transforms.h"
#include "kinema/error.h"
#include "tests/support/clips.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

// A batch as plain values, to be compared.
struct Taken {
  std::vector<std::uint8_t> bytes;
  std::vector<std::int64_t> labels;
  std::vector<std::size_t> used;
  bool operator==(const Taken&) const = default;
};

Taken taken(const Batch& batch) {
  Taken t{{batch.pixels.get(), batch.pixels.get() + batch.bytes()}, batch.labels, {}};
  for (const ClipInfo& info : batch.infos) t.used.push_back(info.used);
  return t;
}

std::vector<Taken> rest_of(Loader& loader) {
  std::vector<Taken> all;
  while (const auto batch = loader.next()) {
    all.push_back(taken(*batch));
  }
  return all;
}

TransformList augmentation() {
  auto crop = std::make_shared<RandomCrop>();
  crop->size = 16;
  return {crop, std::make_shared<Flip>(), std::make_shared<Brightness>(), std::make_shared<Normalise>()};
}

std::shared_ptr<ClipRecipe> train_recipe(std::shared_ptr<const Dataset> dataset) {
  auto recipe = std::make_shared<ClipRecipe>();
  recipe->dataset = std::move(dataset);
  recipe->temporal = {4, 2, {}, config::Sampling::random, 1};
  recipe->transforms = augmentation();
  return recipe;
}

LoaderSetup train_setup(std::shared_ptr<const Dataset> dataset, std::int64_t workers,
                        std::int64_t batch = 4) {
  TrainScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.batch = batch;
  schedule.drop_last = false;
  LoaderSetup setup;
  setup.recipe = train_recipe(std::move(dataset));
  setup.schedule = std::make_shared<TrainSchedule>(schedule);
  setup.workers = workers;
  setup.max_bad_fraction = 1;
  return setup;
}

LoaderSetup eval_setup(std::shared_ptr<const Dataset> dataset, std::int64_t workers, std::int64_t views = 1) {
  LoaderSetup setup;
  EvalScheduleOptions schedule;
  schedule.items = dataset->size();
  schedule.temporal_views = views;
  schedule.batch = 3;
  auto recipe = train_recipe(std::move(dataset));
  recipe->training = false;
  recipe->temporal = {4, 2, {}, config::Sampling::uniform, views};
  auto crop = std::make_shared<CenterCrop>();
  crop->size = 16;
  recipe->transforms = {crop};
  setup.recipe = recipe;
  setup.schedule = std::make_shared<EvalSchedule>(schedule);
  setup.workers = workers;
  return setup;
}

// Videos of different lengths and groups of pictures.
std::shared_ptr<test::ListedItems> video_items() {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a", "b"};
  for (int i = 0; i < 6; ++i) {
    const std::string path =
        (std::filesystem::path(testing::TempDir()) / ("kinema_loader_" + std::to_string(i) + ".mp4"))
            .string();
    test::ClipSpec spec;
    spec.frames = 10 + 3 * i;
    spec.writer.b_frames = i % 3;
    test::make_clip(path, spec);
    set->add_video(path, i % 2);
  }
  return set;
}

std::vector<Taken> epoch_of(LoaderSetup setup, std::uint64_t epoch, std::int64_t first = 0) {
  Loader loader(std::move(setup));
  loader.start(epoch, first);
  return rest_of(loader);
}

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
  EXPECT_DOUBLE_EQ(loader.stats().coverage(), 1);
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

TEST(loader, a_bad_training_video_is_replaced_by_one_of_its_class_in_the_same_way_everywhere) {
  auto set = test::counting_items(12);
  set->items[4].sources[0].frames = std::make_shared<test::BrokenFrames>();
  set->items[5].sources[0] = {};
  set->items[5].sources[0].video = "nowhere.avi";
  const auto expected = epoch_of(train_setup(set, 0, 12), 0);
  EXPECT_EQ(epoch_of(train_setup(set, 4, 12), 0), expected);

  Loader loader(train_setup(set, 2, 12));
  loader.start(0);
  const auto batch = loader.next();
  int replaced = 0;
  for (std::size_t i = 0; i < batch->infos.size(); ++i) {
    const ClipInfo& info = batch->infos[i];
    if (info.index != 4 && info.index != 5) {
      EXPECT_EQ(info.used, info.index);
      continue;
    }
    ++replaced;
    EXPECT_NE(info.used, info.index);
    EXPECT_EQ(info.used % 3, info.index % 3) << "same class";
    EXPECT_EQ(batch->labels[i], static_cast<std::int64_t>(info.index % 3));
  }
  EXPECT_EQ(replaced, 2);
  EXPECT_EQ(loader.stats().replaced, 2);
  ASSERT_EQ(loader.ledger().entries().size(), 2u);
}

// A data set whose own look-up of one item fails.
class HalfAnIndex final : public Dataset {
 public:
  std::shared_ptr<const Dataset> whole = test::counting_items(6);
  std::size_t size() const override { return whole->size(); }
  std::vector<std::string> classes() const override { return whole->classes(); }
  Item item(std::size_t index) const override {
    if (index == 2) throw Error(ErrorKind::data, "annotations", "half a line");
    return whole->item(index);
  }
};

TEST(loader, an_item_that_the_data_set_cannot_describe_counts_as_bad) {
  Loader loader(train_setup(std::make_shared<HalfAnIndex>(), 2, 6));
  loader.start(0);
  const auto batch = loader.next();
  ASSERT_EQ(batch->bad.size(), 1u);
  EXPECT_EQ(batch->bad[0].key, "item 2");
  EXPECT_EQ(batch->bad[0].reason, "half a line");
  EXPECT_EQ(loader.stats().replaced, 1);
}

TEST(loader, bad_videos_are_written_down_once) {
  const auto file = std::filesystem::path(testing::TempDir()) / "kinema_bad_videos.tsv";
  std::filesystem::remove(file);
  auto set = test::counting_items(12);
  set->items[5].sources[0] = {};
  set->items[5].sources[0].video = "nowhere.avi";
  LoaderSetup setup = train_setup(set, 2, 12);
  setup.ledger = file;
  Loader loader(std::move(setup));
  for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
    loader.start(epoch);
    while (loader.next()) {
    }
  }
  std::ifstream in(file);
  std::string header, line, more;
  std::getline(in, header);
  std::getline(in, line);
  EXPECT_EQ(header, "epoch\tindex\tkey\tpath\treason");
  EXPECT_THAT(line, testing::StartsWith("0\t5\titem5\tnowhere.avi\tno such file"));
  EXPECT_FALSE(std::getline(in, more));
}

TEST(loader, too_many_bad_videos_stop_training_with_the_list) {
  auto set = test::counting_items(20);
  for (const std::size_t i : {2u, 7u, 9u})
    set->items[i].sources[0].frames = std::make_shared<test::BrokenFrames>();
  for (const std::int64_t workers : {0, 3}) {
    LoaderSetup setup = train_setup(set, workers, 4);
    setup.max_bad_fraction = 0.1;
    Loader loader(std::move(setup));
    loader.start(0);
    try {
      while (loader.next()) {
      }
      FAIL();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      EXPECT_EQ(error.problems().size(), 4u);
      EXPECT_THAT(error.what(),
                  testing::HasSubstr("training data: too many videos cannot be read: expected at most "
                                     "0.1 of the items, got 3 of 20"));
      EXPECT_THAT(error.what(), testing::HasSubstr("own pixels: cannot be read"));
    }
    EXPECT_EQ(loader.next(), nullptr);
  }
}

TEST(loader, when_every_video_is_bad_training_stops_and_says_so) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  for (int i = 0; i < 4; ++i) set->add(std::make_shared<test::BrokenFrames>(), 0);
  Loader loader(train_setup(set, 2));
  loader.start(0);
  try {
    loader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("no other video could take its place: 16 were tried"));
  }
}

TEST(loader, evaluation_never_replaces_and_reports_its_coverage) {
  auto set = test::counting_items(5);
  set->items[1].sources[0].frames = std::make_shared<test::BrokenFrames>();
  for (const std::int64_t workers : {0, 2}) {
    Loader loader(eval_setup(set, workers));
    loader.start(0);
    const auto batch = loader.next();
    EXPECT_FALSE(batch->infos[1].valid);
    EXPECT_EQ(batch->infos[1].index, 1u);
    EXPECT_EQ(batch->infos[1].problem, "cannot be read");
    EXPECT_EQ(batch->labels[1], 1);
    const std::size_t clip_bytes = static_cast<std::size_t>(batch->bytes() / batch->clips);
    EXPECT_THAT(
        std::vector<std::uint8_t>(batch->pixels.get() + clip_bytes, batch->pixels.get() + 2 * clip_bytes),
        testing::Each(0));
    EXPECT_TRUE(batch->infos[2].valid);
    while (loader.next()) {
    }
    EXPECT_EQ(loader.stats().unreadable, 1);
    EXPECT_DOUBLE_EQ(loader.stats().coverage(), 0.8);
  }
}

TEST(loader, an_evaluation_batch_of_bad_videos_alone_still_has_the_usual_shape) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  set->add(std::make_shared<test::BrokenFrames>(0), 0);
  Loader loader(eval_setup(set, 1));
  loader.start(0);
  const auto batch = loader.next();
  EXPECT_EQ(batch->size, (Size{16, 16}));
  EXPECT_EQ(batch->frames, 4);
  EXPECT_THAT(taken(*batch).bytes, testing::Each(0));
}

TEST(loader, other_errors_of_workers_reach_the_caller_at_their_batch) {
  auto set = test::counting_items(12);
  set->items[7].sources[0].frames = std::make_shared<test::BrokenFrames>(10, ErrorKind::run);
  for (const std::int64_t workers : {0, 1, 4}) {
    LoaderSetup setup = eval_setup(set, workers);
    Loader loader(std::move(setup));
    loader.start(0);
    EXPECT_NE(loader.next(), nullptr);
    EXPECT_NE(loader.next(), nullptr);
    EXPECT_THROW(loader.next(), Error) << workers;
    EXPECT_EQ(loader.next(), nullptr);
    loader.start(0);
    EXPECT_NE(loader.next(), nullptr);
  }
}

TEST(loader, clips_of_different_sizes_in_a_batch_are_refused) {
  auto set = test::counting_items(1);
  set->add(std::make_shared<test::CountingFrames>(1, Size{40, 24}, 10), 0);
  LoaderSetup setup = eval_setup(set, 0);
  auto recipe = std::make_shared<ClipRecipe>(*setup.recipe);
  recipe->transforms = {};
  setup.recipe = recipe;
  Loader loader(std::move(setup));
  loader.start(0);
  try {
    loader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(),
                testing::HasSubstr("clips of one batch differ: expected rgb 4 frames of 32x24 as in "
                                   "item0, got rgb 4 frames of 40x24 in item1"));
  }
}

TEST(loader, a_label_beyond_the_classes_is_an_error) {
  auto set = test::counting_items(3);
  set->items[2].target.label = 3;
  Loader loader(eval_setup(set, 0));
  loader.start(0);
  try {
    loader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("clip 2 (item2): the target does not fit the 3 classes of the data "
                                   "set: got label 3 and 0 values"));
  }
}

TEST(loader, automatic_workers_leave_a_core_to_the_model) {
  EXPECT_GE(automatic_workers(), 1);
  EXPECT_LE(automatic_workers(), std::max(1u, std::thread::hardware_concurrency()));
}

}  // namespace
}  // namespace kinema::data
