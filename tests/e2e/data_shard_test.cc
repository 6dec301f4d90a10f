#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/e2e/project.h"

// `kinema data shard`, and training from what it writes.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using Json = nlohmann::json;

const std::vector<std::string> kShard = {"data",   "shard",     "tiny.toml", "--output",
                                         "shards", "--threads", "1"};

TEST(data_shard, a_run_trains_from_shards_with_one_key) {
  const Project project;
  const test::Finished run = project.kinema(kShard);
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, AllOf(HasSubstr("24 videos written, 0 there before, 0 not written"),
                             HasSubstr("pictures: PSNR"), HasSubstr("frames in front of a random one: ")));
  EXPECT_THAT(run.err, HasSubstr("[loader] shards = \"" + (project / "shards").string() + "\""));
  const Json figures = Json::parse(text_of(project / "shards/shards.json"));
  EXPECT_EQ(figures["videos"], 24);
  EXPECT_EQ(figures["frames"], 240);
  EXPECT_GT(figures["psnr_mean"], 25);
  // Relative to the file that says it.
  project.edit("tiny.toml", "workers = 0", "workers = 1\nshards = \"shards\"");
  ASSERT_TRUE(ended(project.train({"trainer.epochs=1"}), 0));
  EXPECT_TRUE(ended(project.kinema({"eval", "tiny.toml"}), 0));
  const fs::path video = fs::directory_iterator(project / "clips/test/left")->path();
  EXPECT_TRUE(ended(project.kinema({"predict", project.last_checkpoint().string(), video.string()}), 0))
      << "predict opens the file that it is given";
  EXPECT_TRUE(ended(project.kinema({"data", "check", "shards"}), 0));
}

TEST(data_shard, a_changed_and_a_new_video_are_refused_by_name_before_anything_starts) {
  const Project project;
  ASSERT_TRUE(ended(project.kinema(kShard), 0));
  const fs::path changed = fs::directory_iterator(project / "clips/train/left")->path();
  const fs::path added = project / "clips/test/up/added.mp4";
  damage(changed);
  fs::last_write_time(changed, fs::last_write_time(changed) + std::chrono::seconds(5));
  test::Finished run = project.train({"loader.shards=shards"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err, HasSubstr(changed.string() + ": changed since it was written into the shards"));
  EXPECT_FALSE(fs::exists(project / "runs/tiny/latest"));
  ASSERT_TRUE(ended(project.kinema(kShard), 0));
  fs::copy_file(changed, added);
  run = project.kinema({"check", "tiny.toml", "loader.shards=shards"});
  ASSERT_TRUE(ended(run, 4));
  EXPECT_THAT(run.err,
              AllOf(HasSubstr(added.string() + ": not in the shards"), HasSubstr("kinema data shard")));
  run = project.train({"loader.shards=nowhere"});
  ASSERT_TRUE(ended(run, 2));
  EXPECT_THAT(run.err, HasSubstr("no shards: expected a folder with shards.tsv"));
}

TEST(data_shard, a_flipped_byte_is_a_bad_video_of_the_run) {
  const Project project;
  ASSERT_TRUE(ended(project.kinema(kShard), 0));
  damage(project / "shards/shard-00000.bin");
  const test::Finished run =
      project.train({"loader.shards=shards", "trainer.epochs=1", "loader.max_bad_fraction=0.2"});
  ASSERT_TRUE(ended(run, 0));
  const test::Finished checked = project.kinema({"data", "check", "shards"});
  ASSERT_TRUE(ended(checked, 4));
  EXPECT_THAT(checked.out, AllOf(HasSubstr("24 files: 23 usable"), HasSubstr("damaged in")));
}

TEST(data_shard, a_run_that_is_killed_and_one_that_goes_on_leave_what_a_whole_one_leaves) {
  const Project project;
  ASSERT_TRUE(ended(project.kinema(kShard), 0));
  fs::rename(project / "shards", project / "whole");
  const fs::path table = project / "shards/shards.tsv";
  const auto lines = [&] {
    const std::string text = fs::exists(table) ? text_of(table) : "";
    return std::count(text.begin(), text.end(), '\n');
  };
  for (const int finished : {1, 4, 11}) {
    test::Process process(project.command(kShard));
    ASSERT_TRUE(process.wait_until([&](const test::Finished&) { return lines() > finished; }));
    process.signal(SIGKILL);
    process.wait();
  }
  EXPECT_LT(lines(), 25) << "killed half-way";
  const test::Finished run = project.kinema(kShard);
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.out, testing::Not(HasSubstr(", 0 there before")));
  for (const char* name : {"shards.tsv", "shard-00000.bin", "shards.json", "settings.json"})
    EXPECT_TRUE(text_of(project / ("shards/" + std::string(name))) ==
                text_of(project / ("whole/" + std::string(name))))
        << name;
  for (const auto& entry : fs::directory_iterator(project / "shards"))
    EXPECT_THAT(entry.path().string(), testing::Not(HasSubstr("kinema-part")));
}

}  // namespace
}  // namespace kinema::e2e
