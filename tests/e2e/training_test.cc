#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <regex>
#include <sstream>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(training, a_dry_run_leaves_nothing_behind) {
  const Project project;
  const test::Finished run = project.train({"--dry-run", "2"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_EQ(run.out, "dry run of 2 steps: ok\n");
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(training, files_that_are_not_there_are_all_listed_in_the_run_folder) {
  const Project project;
  std::string list;
  for (const auto& entry : fs::recursive_directory_iterator(project / "clips/test"))
    if (entry.is_regular_file())
      list += entry.path().lexically_relative(project / "clips").string() + " " +
              entry.path().parent_path().filename().string() + "\n";
  for (int i = 0; i < 7; ++i) list += "gone/" + std::to_string(i) + ".mp4 up\n";
  project.write("list.txt", list);
  const test::Finished run =
      project.train({"trainer.epochs=1", "loader.max_bad_fraction=1",
                     "data.train={type=\"list\", root=\"clips\", list=\"list.txt\", missing=\"skip\"}",
                     "data.val={type=\"list\", root=\"clips\", list=\"list.txt\", missing=\"keep\"}"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.err, HasSubstr("7 of "));
  EXPECT_THAT(run.err, HasSubstr("all missing files are listed in missing_files.tsv"));
  const std::string listed = text_of(project.newest_run() / "missing_files.tsv");
  EXPECT_EQ(std::count(listed.begin(), listed.end(), '\n'), 14) << listed;
  EXPECT_THAT(listed, HasSubstr("data.train\tgone/0.mp4\n"));
  EXPECT_THAT(listed, HasSubstr("/gone/6.mp4\n"));
}

TEST(training, limits_shorten_epochs_evaluations_and_the_run) {
  const Project project;
  const test::Finished run = project.train({"trainer.limit_train=4", "trainer.limit_eval=3"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("step 6,"));  // three epochs of 4 / 2
  const test::Finished stopped = project.train({"trainer.max_steps=5"});
  ASSERT_TRUE(ended(stopped, 0));
  EXPECT_THAT(stopped.out, HasSubstr("step 5,"));
}

TEST(training, the_same_batches_again_and_again_are_learnt_by_heart) {
  const Project project;
  const test::Finished run = project.train(
      {"trainer.overfit_batches=2", "trainer.epochs=60", "model.dropout=0", "model.width=16",
       "loader.batch=4", "optimizer.lr=0.02", "trainer.eval_every=0", "checkpoint.every_epochs=0"});
  ASSERT_TRUE(ended(run, 0));
  std::smatch last;
  std::string rest = run.err;
  double loss = 1;
  while (std::regex_search(rest, last, std::regex("train/loss ([0-9.]+)"))) {
    loss = std::stod(last[1]);
    rest = last.suffix();
  }
  EXPECT_LT(loss, 0.05);
}

TEST(training, runs_in_bf16_with_clipped_gradients_and_every_optimizer_and_schedule) {
  const Project project;
  ASSERT_TRUE(ended(project.train({"trainer.precision=bf16", "trainer.clip_grad_norm=0.5",
                                   "optimizer={type=\"sgd\", lr=0.1, momentum=0.9, base_batch=8}",
                                   "scheduler={type=\"cosine\", warmup_epochs=1}"}),
                    0));
}

TEST(training, callbacks_watch_the_training_loss_where_nothing_is_evaluated) {
  const Project project;
  const test::Finished run = project.train(
      {"trainer.eval_every=0", "trainer.epochs=9",
       "callback=[{type=\"early_stopping\", monitor=\"train/loss\", patience=2, min_delta=100.0}, "
       "{type=\"top_k_checkpoint\", monitor=\"train/loss\", k=1}]"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("early_stopping: train/loss did not improve in 2 epochs"));
  EXPECT_THAT(run.out, HasSubstr("step 12"));
  int kept = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(project.newest_run() / "checkpoints"))
    kept += entry.path().filename().string().starts_with("top-train_loss-epoch");
  EXPECT_EQ(kept, 1);
}

TEST(training, two_metrics_of_one_value_name_are_refused_before_anything_runs) {
  const Project project;
  const test::Finished run = project.train({"metric=[{type=\"accuracy\"}]"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_THAT(run.err,
              HasSubstr("metric.0: value name is taken: expected the metric accuracy to give a name of "
                        "its own, got \"top1\", which the built-in metric accuracy gives"));
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(training, a_data_set_is_swapped_by_one_line_or_by_a_file) {
  const Project project;
  fs::copy(project / "clips", project / "other", fs::copy_options::recursive);
  for (const char* split : {"train", "test"}) fs::remove_all(project / "other" / split / "up");
  const test::Finished changed =
      project.train({"data.train.root=other/train", "data.val.root=other/test", "trainer.max_steps=1"});
  ASSERT_TRUE(ended(changed, 0));
  project.write("sets/other.toml",
                "[train]\ntype = \"video_folder\"\nroot = \"../other/train\"\n"
                "[val]\ntype = \"video_folder\"\nroot = \"../other/test\"\n");
  const test::Finished swapped = project.train({"data=@sets/other.toml", "trainer.max_steps=1"});
  ASSERT_TRUE(ended(swapped, 0));
  const test::Finished check = project.kinema({"check", "tiny.toml", "data=@sets/other.toml"});
  ASSERT_TRUE(ended(check, 0));
  EXPECT_THAT(check.out, HasSubstr("3 classes"));
}

TEST(bad_videos, one_is_replaced_by_another_of_its_class_and_noted_in_a_ledger) {
  const Project project;
  cut(project / "clips/train/left/001.mp4", 0.3);
  const std::vector<std::string> settings = {"loader.max_bad_fraction=0.2", "trainer.epochs=1"};
  ASSERT_TRUE(ended(project.train(settings), 0));
  const std::string ledger = text_of(project.newest_run() / "bad_videos.tsv");
  EXPECT_THAT(ledger, testing::StartsWith("epoch\tindex\tkey\tpath\treason\n"));
  EXPECT_THAT(ledger, HasSubstr("left/001.mp4\t"));
  EXPECT_EQ(std::count(ledger.begin(), ledger.end(), '\n'), 2);
  const std::string first = text_of(project.last_checkpoint() / "model.safetensors");
  ASSERT_TRUE(
      ended(project.train({"loader.max_bad_fraction=0.2", "trainer.epochs=1", "loader.workers=0"}), 0));
  EXPECT_TRUE(text_of(project.last_checkpoint() / "model.safetensors") == first);
}

TEST(bad_videos, too_many_stop_the_run_with_4_and_the_list) {
  const Project project;
  for (const char* name : {"000", "001", "002", "003"})
    cut(project / "clips/train/left" / (std::string(name) + ".mp4"), 0.3);
  const test::Finished run = project.train({"loader.max_bad_fraction=0.1", "trainer.epochs=1"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("too many videos cannot be read: expected at most 0.1 of the items"));
  EXPECT_THAT(run.err, HasSubstr("clips/train/left/00"));
  EXPECT_THAT(text_of(project.newest_run() / "summary.json"), HasSubstr("\"failed\""));
}

TEST(bad_videos, evaluation_leaves_them_out_and_says_so) {
  const Project project;
  cut(project / "clips/test/up/001.mp4", 0.3);
  const test::Finished run = project.train({"trainer.epochs=1"});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.err, HasSubstr("evaluation: clip left out: up/001.mp4: "));
  EXPECT_THAT(run.err, HasSubstr("evaluation: 7 of 8 clips evaluated"));
  EXPECT_THAT(run.out, HasSubstr("evaluated 7 of 8 clips"));
  const auto summary = nlohmann::json::parse(text_of(project.newest_run() / "summary.json"));
  EXPECT_EQ(summary["evaluation"]["clips"], 8);
  EXPECT_EQ(summary["evaluation"]["evaluated"], 7);
}

// runs/ on a file system of a few megabytes, seen by the program alone.
std::string small_disk;  // of the running test: the child may not allocate
void mount_small_disk() {
  if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("tmpfs", small_disk.c_str(), "tmpfs", 0, "size=1500k") != 0)
    _exit(99);
}

bool can_mount() {
  test::Command probe;
  const std::string folder = testing::TempDir() + "kinema-mount-probe";
  fs::create_directories(folder);
  small_disk = folder;
  probe.program = "/bin/true";
  probe.before_exec = mount_small_disk;
  return test::run(probe).code == 0;
}

TEST(full_disk, three_failed_checkpoints_in_a_row_stop_the_run_with_1_and_keep_the_old_ones) {
  const Project project;
  ASSERT_TRUE(ended(project.train({"model.width=32", "trainer.epochs=1"}), 0));
  const fs::path run = project.newest_run();
  const std::string before = text_of(run / "checkpoints/step-00000004/model.safetensors");
  // Larger than the log, smaller than a checkpoint.
  test::Command command = project.command(
      {"train", "tiny.toml", "model.width=32", "trainer.epochs=4", "checkpoint.every_steps=1", "--resume"});
  command.largest_file = 60'000;
  const test::Finished full = test::run(command);
  ASSERT_TRUE(ended(full, 1));
  EXPECT_THAT(full.err, HasSubstr("checkpoint step-00000005 failed, the one before is kept and training goes "
                                  "on: "));
  EXPECT_THAT(full.err, HasSubstr("checkpoint step-00000006 failed"));
  EXPECT_TRUE(text_of(run / "checkpoints/step-00000004/model.safetensors") == before);
  EXPECT_FALSE(fs::exists(run / "checkpoints/step-00000005"));
  ASSERT_TRUE(ended(project.train({"model.width=32", "trainer.epochs=2", "--resume"}), 0));
}

TEST(full_disk, a_run_on_a_disk_that_fills_says_so_and_keeps_what_it_had) {
  if (!can_mount()) GTEST_SKIP() << "mounting a small file system needs root and the right to unshare";
  const Project project;
  fs::create_directories(project / "runs");
  small_disk = project / "runs";
  test::Command command =
      project.command({"train", "tiny.toml", "model.width=24", "trainer.epochs=6", "checkpoint.keep=100"});
  command.before_exec = mount_small_disk;
  const test::Finished run = test::run(command);
  EXPECT_THAT(run.err, HasSubstr("failed, the one before is kept and training goes on: "));
  EXPECT_THAT(run.err, HasSubstr("No space left on device"));
  EXPECT_TRUE(ended(run, 1));
}

}  // namespace
}  // namespace kinema::e2e
