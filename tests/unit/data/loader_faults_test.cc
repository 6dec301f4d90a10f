#include <gmock/gmock.h>

#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>

#include "framework/data/loader.h"
#include "kinema/error.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/loader_setups.h"

namespace kinema::data {
namespace {

using namespace test_loader;

TEST(loader_faults, a_bad_training_video_is_replaced_by_one_of_its_class_in_the_same_way_everywhere) {
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

TEST(loader_faults, an_item_that_the_data_set_cannot_describe_counts_as_bad) {
  Loader loader(train_setup(std::make_shared<HalfAnIndex>(), 2, 6));
  loader.start(0);
  const auto batch = loader.next();
  ASSERT_EQ(batch->bad.size(), 1u);
  EXPECT_EQ(batch->bad[0].key, "item 2");
  EXPECT_EQ(batch->bad[0].reason, "half a line");
  EXPECT_EQ(loader.stats().replaced, 1);
}

TEST(loader_faults, bad_videos_are_written_down_once) {
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

TEST(loader_faults, too_many_bad_videos_stop_training_with_the_list) {
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

TEST(loader_faults, when_every_video_is_bad_training_stops_and_says_so) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  for (int i = 0; i < 4; ++i) set->add(std::make_shared<test::BrokenFrames>(), 0);
  Loader loader(train_setup(set, 2));
  loader.start(0);
  try {
    loader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr(
                    "no other video could take its place: expected a readable one among 16, got none"));
  }
}

TEST(loader_faults, evaluation_never_replaces_and_reports_its_coverage) {
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
    EXPECT_EQ(loader.stats().unreadable * 5, loader.stats().clips);
  }
}

TEST(loader_faults, an_evaluation_batch_of_bad_videos_alone_still_has_the_usual_shape) {
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

TEST(loader_faults, other_errors_of_workers_reach_the_caller_at_their_batch) {
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

TEST(loader_faults, clips_of_different_sizes_in_a_batch_are_refused) {
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

TEST(loader_faults, a_label_beyond_the_classes_is_an_error) {
  auto set = test::counting_items(3);
  set->items[2].target.label = 3;
  Loader loader(eval_setup(set, 0));
  loader.start(0);
  try {
    loader.next();
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(),
                testing::HasSubstr("clip 2 (item2): the target does not fit the classes: expected a label "
                                   "below 3 and none or 3 values, got label 3 and 0 values"));
  }
}

// A decoder that does not come back until it is told to.
class StuckFrames final : public FrameSource {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable opened;
    bool open = false;
    int waiting = 0;
  };
  explicit StuckFrames(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  Facts facts() const override { return {{32, 24}, 10, 25}; }
  void read(std::int64_t, std::span<std::uint8_t> out) const override {
    std::unique_lock lock(gate_->mutex);
    ++gate_->waiting;
    gate_->opened.wait(lock, [this] { return gate_->open; });
    std::fill(out.begin(), out.end(), 255);
    --gate_->waiting;
    gate_->opened.notify_all();
  }
  static void release(Gate& gate) {
    std::unique_lock lock(gate.mutex);
    gate.open = true;
    gate.opened.notify_all();
    gate.opened.wait(lock, [&gate] { return gate.waiting == 0; });
  }

 private:
  std::shared_ptr<Gate> gate_;
};

TEST(loader_faults, a_stuck_decoder_is_given_up_and_its_item_replaced) {
  const auto gate = std::make_shared<StuckFrames::Gate>();
  auto set = test::counting_items(8);
  set->items[3].sources[0].frames = std::make_shared<StuckFrames>(gate);
  set->items[3].key = "endless";
  std::vector<std::unique_ptr<Batch>> batches;
  {
    LoaderSetup setup = train_setup(set, 2);
    setup.stuck_s = 0.2;
    Loader loader(std::move(setup));
    loader.start(0);
    while (auto batch = loader.next()) batches.push_back(std::move(batch));
    EXPECT_EQ(loader.stats().stuck, 1);
    EXPECT_EQ(loader.stats().replaced, 1);
    ASSERT_EQ(loader.ledger().entries().size(), 1u);
    EXPECT_EQ(loader.ledger().entries()[0].key, "endless");
    EXPECT_THAT(loader.ledger().entries()[0].reason, testing::HasSubstr("a decoder was stuck in it"));
    loader.start(1);
    while (loader.next()) {
    }
    EXPECT_EQ(loader.stats().stuck, 1) << "it is not opened again";
  }
  ASSERT_EQ(batches.size(), 2u);
  std::vector<Taken> before;
  for (const auto& batch : batches) before.push_back(taken(*batch));
  StuckFrames::release(*gate);
  for (std::size_t b = 0; b < 2; ++b)
    EXPECT_EQ(taken(*batches[b]), before[b]) << "a lost thread that comes back writes into nobody's batch";
}

TEST(loader_faults, an_evaluation_goes_on_without_a_stuck_clip) {
  const auto gate = std::make_shared<StuckFrames::Gate>();
  auto set = test::counting_items(5);
  set->items[1].sources[0].frames = std::make_shared<StuckFrames>(gate);
  LoaderSetup setup = eval_setup(set, 2);
  setup.stuck_s = 0.2;
  Loader loader(std::move(setup));
  loader.start(0);
  std::vector<bool> valid;
  while (const auto batch = loader.next())
    for (const ClipInfo& info : batch->infos) valid.push_back(info.valid);
  EXPECT_EQ(valid, (std::vector<bool>{true, false, true, true, true}));
  StuckFrames::release(*gate);
}

TEST(loader_faults, the_third_stuck_decoder_ends_the_run) {
  const auto gate = std::make_shared<StuckFrames::Gate>();
  auto set = test::counting_items(12);
  for (const std::size_t i : {2, 5, 7, 9})
    set->items[i].sources[0].frames = std::make_shared<StuckFrames>(gate);
  std::string message;
  {
    LoaderSetup setup = train_setup(set, 3);
    setup.stuck_s = 0.2;
    Loader loader(std::move(setup));
    loader.start(0);
    message = test::error_of([&] {
      while (loader.next()) {
      }
    });
    EXPECT_EQ(loader.ledger().entries().size(), 3u) << "those whose batch never came, too";
  }
  EXPECT_THAT(message, testing::HasSubstr("loader: decoders are stuck: expected fewer than 3 of a run"));
  StuckFrames::release(*gate);
}

}  // namespace
}  // namespace kinema::data
