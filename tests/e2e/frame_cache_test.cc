#include <nlohmann/json.hpp>

#include <sstream>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

const std::string kOnDisk = "loader.cache={store=\"disk\", folder=\"frames\", budget_gb=0.5}";

// The losses of a run and what its evaluations gave.
std::vector<std::string> results(const Project& project) {
  std::vector<std::string> all;
  std::istringstream lines(text_of(project.newest_run() / "metrics.jsonl"));
  for (std::string line; std::getline(lines, line);) {
    const auto json = nlohmann::json::parse(line);
    for (const auto& [key, value] : json.items())
      if (key.starts_with("train/") || key.starts_with("val/")) all.push_back(key + " " + value.dump());
  }
  return all;
}

TEST(frame_cache, training_from_it_gives_the_same_numbers_as_decoding) {
  const Project project;
  ASSERT_TRUE(ended(project.train({"loader.workers=2"}), 0));
  const auto decoded = results(project);
  ASSERT_GE(decoded.size(), 3u);
  for (const std::string store : {kOnDisk, kOnDisk, std::string("loader.cache.store=\"memory\"")}) {
    const test::Finished run = project.train({"loader.workers=2", store});
    ASSERT_TRUE(ended(run, 0));
    EXPECT_EQ(results(project), decoded) << store;
    EXPECT_THAT(run.err, HasSubstr("cache: "));
  }
}

TEST(frame_cache, the_second_run_finds_what_the_first_one_kept) {
  const Project project;
  ASSERT_TRUE(ended(project.train({kOnDisk}), 0));
  const test::Finished run = project.train({kOnDisk});
  ASSERT_TRUE(ended(run, 0));
  EXPECT_THAT(run.err, HasSubstr("cache: 100 % of "));
}

TEST(frame_cache, a_checkpoint_needs_none_to_predict) {
  const Project project;
  ASSERT_TRUE(ended(project.train({kOnDisk, "trainer.epochs=1"}), 0));
  fs::remove_all(project / "frames");
  project.write("frames", "no folder");
  EXPECT_TRUE(ended(project.kinema({"predict", project.last_checkpoint(), "clips/test/up"}), 0));
}

TEST(frame_cache, a_folder_where_none_can_be_is_said_before_training) {
  const Project project;
  project.write("file", "text");
  const test::Finished run =
      project.train({"loader.cache={store=\"disk\", folder=\"file/below\", budget_gb=0.5}"});
  ASSERT_TRUE(ended(run, 1));
  EXPECT_THAT(run.err, HasSubstr("cannot make the cache: expected a folder of our own"));
  EXPECT_FALSE(fs::exists(project / "runs"));
}

TEST(frame_cache, keys_that_do_not_go_together_are_errors_of_the_file) {
  const Project project;
  const test::Finished none = project.train({"loader.cache.store=\"disk\""});
  ASSERT_TRUE(ended(none, 2));
  EXPECT_THAT(none.err,
              HasSubstr("loader.cache.folder: missing key: expected a folder beside store = \"disk\""));
  const test::Finished idle = project.train({"loader.cache.folder=\"frames\""});
  ASSERT_TRUE(ended(idle, 2));
  EXPECT_THAT(idle.err, HasSubstr("no effect: expected store = \"disk\" beside a folder"));
  const test::Finished large = project.train({"loader.cache={store=\"memory\", budget_gb=900000}"});
  ASSERT_TRUE(ended(large, 2));
  EXPECT_THAT(large.err, HasSubstr("loader.cache.budget_gb: more than there is of shared memory"));
}

}  // namespace
}  // namespace kinema::e2e
