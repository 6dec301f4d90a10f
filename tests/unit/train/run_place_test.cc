#include "framework/train/run_place.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "framework/infer/trained_model.h"
#include "framework/tracking/run_folder.h"
#include "framework/train/store_keeper.h"
#include "kinema/error.h"
#include "tests/support/scratch.h"

#include <ATen/ops/full.h>

namespace kinema::train {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class run_place : public testing::Test {
 protected:
  run_place() {
    experiment.runs_dir = fs::canonical(scratch.path());
    experiment.name = "net";
  }

  test::Scratch scratch;
  std::string new_run() { return open_run_place(experiment, std::nullopt).folder; }
  void save(const std::string& run, std::int64_t step, bool best = false) {
    CheckpointLabels labels;
    labels.metadata = infer::self_description(Value::table(), {"a", "b"});
    labels.best_link = "best-val_top1";
    StoreKeeper keeper(run + "/checkpoints", 9, labels, [](std::string_view) {});
    Snapshot snapshot;
    snapshot.state.step = step;
    snapshot.callbacks = Value::table();
    snapshot.model = {{"w", at::full({4}, static_cast<double>(step), at::kFloat)}};
    keeper.save(snapshot, checkpoint::step_name(step), best);
  }
  std::string message(const std::string& resume) {
    try {
      open_run_place(experiment, resume);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  config::Experiment experiment;
};

TEST_F(run_place, is_a_new_folder_each_time) {
  const RunPlace place = open_run_place(experiment, std::nullopt);
  EXPECT_NE(place.folder, new_run());
  EXPECT_FALSE(place.checkpoint);
  EXPECT_TRUE(place.remarks.empty());
}

TEST_F(run_place, a_bare_resume_is_the_newest_checkpoint_of_the_newest_run) {
  save(new_run(), 9);
  const std::string newest = new_run();
  save(newest, 1);
  save(newest, 2);
  const RunPlace place = open_run_place(experiment, "");
  EXPECT_EQ(fs::canonical(place.folder), fs::canonical(newest));
  EXPECT_EQ(place.resumed_step(), 2);
  EXPECT_THAT(place.classes(), ElementsAre("a", "b"));
  EXPECT_TRUE(place.remarks.empty());
}

TEST_F(run_place, a_damaged_newest_checkpoint_is_passed_over_with_a_remark) {
  const std::string run = new_run();
  save(run, 1);
  save(run, 2);
  std::ofstream(run + "/checkpoints/step-00000002/model.safetensors") << "gone";
  const RunPlace place = open_run_place(experiment, run);
  EXPECT_EQ(place.resumed_step(), 1);
  ASSERT_EQ(place.remarks.size(), 1u);
  EXPECT_THAT(place.remarks[0], HasSubstr("step-00000002 is not usable, the one before is taken: "));
}

TEST_F(run_place, a_checkpoint_that_was_named_must_be_whole) {
  const std::string run = new_run();
  save(run, 1);
  save(run, 2);
  EXPECT_EQ(open_run_place(experiment, run + "/checkpoints/step-00000001").resumed_step(), 1);
  EXPECT_EQ(open_run_place(experiment, run + "/checkpoints/last").resumed_step(), 2);
  std::ofstream(run + "/checkpoints/step-00000002/model.safetensors") << "gone";
  EXPECT_THAT(message(run + "/checkpoints/step-00000002"), HasSubstr("step-00000002"));
}

TEST_F(run_place, links_that_a_kill_prevented_are_made_up_for) {
  const std::string run = new_run();
  save(run, 1);
  save(run, 2, true);
  const fs::path checkpoints = run + "/checkpoints";
  fs::remove(checkpoints / "best-val_top1");
  fs::remove(checkpoints / "last");
  fs::create_directory_symlink("step-00000001", checkpoints / "last");
  open_run_place(experiment, "");
  EXPECT_EQ(fs::read_symlink(checkpoints / "last"), "step-00000002");
  EXPECT_EQ(fs::read_symlink(checkpoints / "best-val_top1"), "step-00000002");
}

TEST_F(run_place, without_a_checkpoint_or_a_run_it_starts_at_step_0_and_says_so) {
  EXPECT_THAT(open_run_place(experiment, "").remarks,
              ElementsAre("no run of \"net\" yet: starting a new one"));
  const RunPlace empty = open_run_place(experiment, "");
  EXPECT_EQ(empty.resumed_step(), 0);
  ASSERT_EQ(empty.remarks.size(), 1u);
  EXPECT_THAT(empty.remarks[0], HasSubstr("has no checkpoint yet: starting at step 0"));
}

TEST_F(run_place, one_that_somebody_trains_in_is_refused_however_it_is_named) {
  const std::string run = new_run();
  save(run, 1);
  const RunPlace held = open_run_place(experiment, run);
  for (const std::string& again : {std::string(), run, run + "/checkpoints/last"})
    EXPECT_THAT(message(again), HasSubstr("the run is in use: expected no other process in it, got process"));
}

TEST_F(run_place, a_new_one_is_locked_from_the_start) {
  const RunPlace place = open_run_place(experiment, std::nullopt);
  EXPECT_THAT(message(""), HasSubstr(place.folder.substr(place.folder.rfind('/')) + ": the run is in use"));
}

TEST_F(run_place, another_folder_is_no_run) {
  EXPECT_THAT(message(experiment.runs_dir),
              HasSubstr("nothing to resume: expected a run folder or a checkpoint inside of one"));
}

}  // namespace
}  // namespace kinema::train
