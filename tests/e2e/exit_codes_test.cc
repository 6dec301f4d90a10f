#include <signal.h>
#include <unistd.h>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

TEST(exit_codes, a_finished_run_ends_with_0_and_leaves_results_on_stdout_and_progress_on_stderr) {
  const Project project;
  const test::Finished run = project.train();
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, HasSubstr("results   "));
  EXPECT_THAT(run.out, HasSubstr("kinema predict "));
  EXPECT_THAT(run.out, Not(HasSubstr("epoch 1/3")));
  EXPECT_THAT(run.err, HasSubstr("epoch 1/3"));
}

TEST(exit_codes, a_runs_dir_that_cannot_be_made_is_1) {
  const Project project;
  project.write("runs", "a file where the folder should be");
  const test::Finished run = project.train();
  ASSERT_TRUE(ended(run, 1));
  EXPECT_THAT(run.err, testing::StartsWith("runs/tiny: cannot make the folder: Not a directory"));
}

TEST(exit_codes, a_mistyped_key_is_2_with_its_place_its_line_and_a_suggestion) {
  const Project project;
  project.edit("tiny.toml", "accumulate", "acumulate");
  const test::Finished run = project.train();
  ASSERT_TRUE(ended(run, 2));
  EXPECT_EQ(run.out, "");
  EXPECT_EQ(
      run.err,
      "tiny.toml:38:1: unknown key: expected one of epochs, max_steps, limit_train, limit_eval, "
      "overfit_batches, accumulate, clip_grad_norm, precision, device, eval_every, monitor, mode, threads, "
      "log_every, got \"acumulate\"\n"
      "   38 | acumulate = 2\n"
      "      | ^\n"
      "hint: did you mean \"accumulate\"?\n");
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(exit_codes, a_mistyped_command_is_2_with_a_suggestion) {
  const Project project;
  const test::Finished run = project.kinema({"trian", "tiny.toml"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_EQ(
      run.err,
      "command line: unknown command: expected one of train, eval, predict, convert, demo, check, list, "
      "describe, config, model, data, metrics, got \"trian\"\nhint: did you mean \"train\"?\n");
}

TEST(exit_codes, a_command_line_that_is_not_understood_is_2_in_plain_words) {
  const Project project;
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong = {
      {{}, "command line: no command: expected one of train, eval, predict, convert"},
      {{"train"}, "command line: missing argument: expected experiment, got nothing"},
      {{"train", "tiny.toml", "--bogus"}, "command line: unknown option: got \"--bogus\""},
      {{"train", "tiny.toml", "--dry-run", "-3"},
       "command line: --dry-run: wrong value: expected a positive number, got \"-3\""},
      {{"train", "tiny.toml", "--dry-run", "few"},
       "command line: --dry-run: wrong value: expected a positive number, got \"few\""},
      {{"model", "run", "--preset", "r3d_18", "--dtype", "int8", "--input", "a", "--output", "b"},
       "command line: --dtype: wrong value: expected one of float32, float64, got \"int8\""}};
  for (const auto& [arguments, text] : wrong) {
    const test::Finished run = project.kinema(arguments);
    EXPECT_TRUE(ended(run, 2));
    EXPECT_THAT(run.err, testing::StartsWith(text));
    EXPECT_THAT(run.err, HasSubstr("hint: "));
  }
}

TEST(exit_codes, a_missing_plugin_folder_is_3) {
  const Project project;
  const test::Finished run = project.train({"plugins+=no/such/folder"});
  ASSERT_TRUE(ended(run, 3));
  EXPECT_THAT(run.err, HasSubstr("no/such/folder"));
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(exit_codes, a_component_of_a_refused_library_is_3_and_names_the_library_and_its_reason) {
  const Project project;
  project.write("plugins/my_net.so", "not a library");
  const test::Finished run = project.train({"plugins+=plugins", "model={type=\"my_net\"}"});
  EXPECT_THAT(run.err, HasSubstr("my_net"));
  EXPECT_THAT(run.err, HasSubstr("my_net.so"));
  EXPECT_TRUE(ended(run, 3));
}

TEST(exit_codes, a_missing_data_root_is_4_and_leaves_no_run_behind) {
  const Project project;
  const test::Finished run = project.train({"data.train.root=elsewhere"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr((project / "elsewhere").string()));
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(exit_codes, an_unknown_class_in_a_list_of_videos_is_4_with_the_line) {
  const Project project;
  project.write("list.txt", "down/000.mp4 down\nleft/000.mp4 lift\n");
  const test::Finished run =
      project.train({"data.train.list=list.txt", "data.train.classes=[\"down\",\"left\",\"right\",\"up\"]"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr("list.txt:2"));
  EXPECT_THAT(run.err, HasSubstr("lift"));
}

TEST(exit_codes, a_diverging_learning_rate_is_5_and_the_run_says_so) {
  const Project project;
  const test::Finished run =
      project.train({"optimizer={type=\"sgd\", lr=1e30}", "trainer.epochs=10", "checkpoint.every_epochs=0"});
  ASSERT_TRUE(ended(run, 5));
  EXPECT_THAT(run.err, HasSubstr("5 steps in a row had a non-finite loss or gradient"));
  EXPECT_THAT(run.err, HasSubstr("hint: lower [optimizer] lr"));
  const std::string summary = text_of(project.newest_run() / "summary.json");
  EXPECT_THAT(summary, HasSubstr("\"failed\""));
  EXPECT_THAT(summary, HasSubstr("diverged"));
}

struct Interrupted : testing::TestWithParam<int> {};

TEST_P(Interrupted, run_saves_the_step_at_hand_and_ends_with_75) {
  const Project project;
  test::Process process(project.command({"train", "tiny.toml", "trainer.epochs=10000"}));
  ASSERT_TRUE(process.wait_until(
      [](const test::Finished& so_far) { return so_far.err.find("epoch 1/") != std::string::npos; }));
  process.signal(GetParam());
  const test::Finished run = process.wait();
  ASSERT_TRUE(ended(run, 75));
  EXPECT_THAT(run.out, HasSubstr("kinema train tiny.toml trainer.epochs=10000 --resume"));
  EXPECT_THAT(text_of(project.newest_run() / "summary.json"), HasSubstr("\"stopped\""));
  EXPECT_TRUE(fs::exists(project.last_checkpoint() / "model.safetensors"));
}

INSTANTIATE_TEST_SUITE_P(by_a_signal, Interrupted, testing::Values(SIGTERM, SIGUSR1, SIGINT));

TEST(exit_codes, a_second_ctrl_c_stops_at_once) {
  const Project project;
  // One step takes far longer than this test waits for the end.
  test::Command command =
      project.command({"train", "tiny.toml", "model={type=\"resnet3d\", depth=34}", "clip.crop=256",
                       "clip.resize=[256,256]", "loader.batch=16", "trainer.accumulate=1"});
  command.timeout_s = 20;
  test::Process process(command);
  ASSERT_TRUE(
      process.wait_until([&](const test::Finished&) { return fs::exists(project / "runs/tiny/latest"); }));
  ::usleep(1'000'000);
  process.signal(SIGINT);
  ::usleep(50'000);
  process.signal(SIGINT);
  const test::Finished run = process.wait();
  EXPECT_FALSE(run.timed_out);
  EXPECT_EQ(run.signal, SIGINT);
}

}  // namespace
}  // namespace kinema::e2e
