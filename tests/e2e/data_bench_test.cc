#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/e2e/project.h"

// kinema data bench: a plan of clips, and the loader of an experiment.
namespace kinema::e2e {
namespace {

using testing::HasSubstr;
using Json = nlohmann::json;

TEST(data_bench, decodes_the_clips_of_a_plan) {
  const Project project;
  const auto video = std::filesystem::directory_iterator(project / "clips/train/left")->path();
  const std::string clip = video.string() + "\t32\t32\t0\t0\t24\t16\t0,2,4\n";
  project.write("plan.tsv", clip + clip);
  const test::Finished run =
      project.kinema({"data", "bench", "plan.tsv", "--threads", "2", "--check", "--json"});
  ASSERT_TRUE(ended(run, 0));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["clips"], 2);
  EXPECT_EQ(json["frames"], 6);
  EXPECT_GT(json["seconds"], 0);
  EXPECT_GE(json["cpu_seconds"], 0);
  ASSERT_EQ(json["means"].size(), 2);
  EXPECT_EQ(json["means"][0], json["means"][1]);
  const test::Finished too_many = project.kinema({"data", "bench", "plan.tsv", "clip.crop=8"});
  ASSERT_TRUE(ended(too_many, 2));
  EXPECT_THAT(too_many.err, HasSubstr("expected changes behind an experiment file alone"));
}

TEST(data_bench, loads_the_training_clips_of_an_experiment) {
  const Project project;
  const test::Finished run =
      project.kinema({"data", "bench", "tiny.toml", "loader.workers=2", "clip.train.clips_per_video=3",
                      "--epochs", "2", "--check", "--json"});
  ASSERT_TRUE(ended(run, 0));
  const Json json = Json::parse(run.out);
  EXPECT_EQ(json["clips"].get<int>() % 3, 0);
  EXPECT_EQ(json["batches"].get<int>() * 2, json["clips"]);
  EXPECT_EQ(json["bytes"].get<int>(), json["clips"].get<int>() * 4 * 16 * 16 * 3);
  EXPECT_EQ(json["means"][0].size(), 3);
  const test::Finished words = project.kinema({"data", "bench", "tiny.toml", "--epochs", "2"});
  ASSERT_TRUE(ended(words, 0));
  EXPECT_THAT(words.out, HasSubstr("epoch 2: "));
  EXPECT_TRUE(ended(project.kinema({"data", "bench", "tiny.toml", "--epochs", "2", "--threads", "2"}), 2));
}

}  // namespace
}  // namespace kinema::e2e
