#include <signal.h>

#include "tests/e2e/killed_run.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

TEST(resume, a_run_killed_at_any_instant_ends_byte_equal_to_one_that_was_not) {
  expect_resumes_byte_equal(kWatched, {1, 4, 7});
}

TEST(resume, it_does_so_with_workers_and_a_learning_rate_that_moves) {
  expect_resumes_byte_equal(
      with(kWatched, {"loader.workers=2", "scheduler={type=\"cosine\", warmup_epochs=1}"}), {2, 6});
}

TEST(resume, a_run_killed_before_its_first_checkpoint_starts_at_step_0_and_says_so) {
  const Project project;
  killed_after(project, {"trainer.epochs=2000", "checkpoint.every_epochs=0", "trainer.eval_every=0"}, 0, 0);
  const fs::path run = project.newest_run();
  const test::Finished resumed = project.train({"--resume"});
  ASSERT_TRUE(ended(resumed, 0));
  EXPECT_THAT(resumed.err, HasSubstr("has no checkpoint yet: starting at step 0"));
  EXPECT_EQ(project.newest_run(), run);
}

TEST(resume, without_any_run_it_starts_one_and_says_so) {
  const Project project;
  const test::Finished resumed = project.train({"--resume"});
  ASSERT_TRUE(ended(resumed, 0));
  EXPECT_THAT(resumed.err, HasSubstr("no run of \"tiny\" yet: starting a new one"));
}

TEST(resume, a_run_that_is_under_way_is_refused_and_goes_on_undisturbed) {
  const Project project;
  test::Process process(project.command({"train", "tiny.toml", "trainer.epochs=10000"}));
  ASSERT_TRUE(process.wait_until(
      [](const test::Finished& so_far) { return so_far.err.find("epoch 1/") != std::string::npos; }));
  const test::Finished second = project.train({"--resume"});
  EXPECT_TRUE(ended(second, 2));
  EXPECT_THAT(second.err, HasSubstr("the run is in use: expected no other process in it, got process "));
  EXPECT_THAT(second.err, HasSubstr("hint: wait for it to end"));
  process.signal(SIGTERM);
  ASSERT_TRUE(ended(process.wait(), 75));
  EXPECT_TRUE(ended(project.train({"trainer.max_steps=1", "--resume"}), 0));
}

// One finished run, looked at by several tests.
class resume_after : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(ended(project.train({"checkpoint.every_steps=1"}), 0));
    checkpoints = project.newest_run() / "checkpoints";
  }
  Project project;
  fs::path checkpoints;
};

TEST_F(resume_after, the_end_has_nothing_to_do_until_more_is_asked_for) {
  const test::Finished again = project.train({"--resume"});
  ASSERT_TRUE(ended(again, 0));
  EXPECT_THAT(again.out, HasSubstr("nothing to do: "));
  EXPECT_THAT(again.out, HasSubstr("is finished"));
  const test::Finished more = project.train({"trainer.epochs=5", "--resume"});
  ASSERT_TRUE(ended(more, 0));
  EXPECT_THAT(more.err, HasSubstr("continuing at step 12 from"));
  EXPECT_THAT(more.out, HasSubstr("step 20"));
  EXPECT_THAT(more.out, HasSubstr("kinema train tiny.toml trainer.epochs=10 --resume"));
}

TEST_F(resume_after, damage_takes_the_checkpoint_before_and_says_so) {
  damage(checkpoints / "step-00000012" / "model.safetensors");
  const test::Finished resumed = project.train({"trainer.epochs=4", "--resume"});
  ASSERT_TRUE(ended(resumed, 0));
  EXPECT_THAT(resumed.err, HasSubstr("step-00000012 is not usable, the one before is taken: "));
  EXPECT_THAT(resumed.err, HasSubstr("continuing at step 11 from"));
}

TEST_F(resume_after, damage_of_the_checkpoint_that_was_named_is_an_error) {
  damage(checkpoints / "step-00000012" / "model.safetensors");
  const test::Finished resumed =
      project.train({"trainer.epochs=4", "--resume", (checkpoints / "step-00000012").string()});
  ASSERT_TRUE(ended(resumed, 4));
  EXPECT_THAT(resumed.err, HasSubstr("step-00000012"));
}

TEST_F(resume_after, damage_of_all_checkpoints_never_starts_from_scratch) {
  for (const fs::directory_entry& entry : fs::directory_iterator(checkpoints))
    if (!entry.is_symlink()) damage(entry.path() / "model.safetensors");
  ASSERT_TRUE(ended(project.train({"trainer.epochs=4", "--resume"}), 4));
}

TEST_F(resume_after, other_classes_are_refused_with_both_lists) {
  fs::rename(project / "clips/train/left", project / "clips/train/sideways");
  fs::rename(project / "clips/test/left", project / "clips/test/sideways");
  const test::Finished resumed = project.train({"trainer.epochs=4", "--resume"});
  ASSERT_TRUE(ended(resumed, 4));
  EXPECT_THAT(resumed.err, HasSubstr("down, left, right, up"));
  EXPECT_THAT(resumed.err, HasSubstr("down, right, sideways, up"));
  EXPECT_THAT(resumed.err, HasSubstr("checkpoint"));
}

TEST_F(resume_after, a_place_that_is_no_run_is_a_usage_error) {
  const test::Finished resumed = project.train({"--resume", "clips"});
  ASSERT_TRUE(ended(resumed, 2));
  EXPECT_THAT(resumed.err,
              HasSubstr("nothing to resume: expected a run folder or a checkpoint inside of one"));
}

TEST_F(resume_after, patience_counts_on_where_it_stopped) {
  // train/loss never falls by 100: the first epoch is the best, patience ends after the next two.
  const std::string watch =
      "callback=[{type=\"early_stopping\", monitor=\"train/loss\", patience=2, min_delta=100.0}]";
  ASSERT_TRUE(ended(project.train({"name=patient", "trainer.epochs=2", watch}), 0));
  const test::Finished resumed = project.train({"name=patient", "trainer.epochs=9", watch, "--resume"});
  ASSERT_TRUE(ended(resumed, 0));
  EXPECT_THAT(resumed.out, HasSubstr("early_stopping: train/loss did not improve in 2 epochs"));
  EXPECT_THAT(resumed.out, HasSubstr("step 12"));
}

}  // namespace
}  // namespace kinema::e2e
