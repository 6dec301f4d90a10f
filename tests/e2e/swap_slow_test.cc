#include <cstdlib>
#include <nlohmann/json.hpp>

#include "tests/e2e/project.h"

// The Weizmann experiment on another data set, by one word of the command line.
namespace kinema::e2e {
namespace {

TEST(swapped_data, train_in_the_same_experiment_and_carry_their_own_classes) {
  if (std::getenv("KINEMA_REAL_DATA") == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  const Project project;
  const std::string example = std::string(KINEMA_SOURCE_DIR) + "/examples/020_weizmann/";
  const std::vector<std::string> experiment = {example + "weizmann.toml", "data=@" + example + "fight.toml"};
  const auto with = [&](std::vector<std::string> arguments, const std::vector<std::string>& more) {
    arguments.insert(arguments.end(), experiment.begin(), experiment.end());
    arguments.insert(arguments.end(), more.begin(), more.end());
    return project.kinema(std::move(arguments));
  };
  const test::Finished check = with({"check"}, {});
  ASSERT_TRUE(ended(check, 0));
  EXPECT_THAT(check.out, testing::HasSubstr("2 classes"));
  EXPECT_THAT(check.out, testing::HasSubstr("50 items")) << "numbers up to 100";
  EXPECT_THAT(check.out, testing::HasSubstr("26 items")) << "numbers above 100";
  ASSERT_TRUE(ended(with({"train"}, {"runs_dir=runs", "trainer.max_steps=2", "trainer.limit_eval=2",
                                     "clip.eval.temporal_views=1", "clip.train.clips_per_video=1"}),
                    0));
  const std::filesystem::path run = std::filesystem::canonical(project / "runs" / "weizmann" / "latest");
  const nlohmann::json summary = nlohmann::json::parse(text_of(run / "summary.json"));
  EXPECT_EQ(summary["steps"], 2);
  const std::string video =
      std::string(std::getenv("KINEMA_REAL_DATA")) + "/actions/fight_surv_subset/noFight/nofi101.mp4";
  const test::Finished predicted = project.kinema({"predict", run / "checkpoints" / "last", video});
  ASSERT_TRUE(ended(predicted, 0));
  EXPECT_THAT(predicted.out, testing::HasSubstr("noFight"));
}

}  // namespace
}  // namespace kinema::e2e
