#include <nlohmann/json.hpp>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

// Peak memory of the loader alone over so many times 2,000 clips, in MB: 16 videos of different draws.
double peak_mb(const Project& project, int epochs, const std::vector<std::string>& changes) {
  std::vector<std::string> arguments = {"data",
                                        "bench",
                                        "tiny.toml",
                                        "--json",
                                        "--epochs",
                                        std::to_string(epochs),
                                        "loader.workers=2",
                                        "clip.train.clips_per_video=125"};
  arguments.insert(arguments.end(), changes.begin(), changes.end());
  test::Command command = project.command(arguments);
  command.timeout_s = 500;
  const test::Finished run = test::run(command);
  EXPECT_TRUE(ended(run, 0));
  const auto json = nlohmann::json::parse(run.out);
  EXPECT_EQ(json.at("clips"), 2000);
  return json.at("peak_rss_mb");
}

constexpr double kMostGrowth_mb = 8;  // a leak of half a kilobyte a clip

TEST(loader_memory, stays_flat_over_twenty_thousand_clips) {
  const Project project;
  const double early = peak_mb(project, 1, {}), late = peak_mb(project, 10, {});
  RecordProperty("peak_mb", std::to_string(late));
  EXPECT_LT(late - early, kMostGrowth_mb) << early << " MB after 2,000 clips, " << late << " after 20,000";
}

TEST(loader_memory, stays_flat_with_a_cache_that_is_too_small_for_the_videos) {
  const Project project;
  const std::string cache = "loader.cache={store=\"disk\", folder=\"frames\", budget_gb=0.001}";
  const double early = peak_mb(project, 1, {cache}), late = peak_mb(project, 10, {cache});
  EXPECT_LT(late - early, kMostGrowth_mb) << early << " MB after 2,000 clips, " << late << " after 20,000";
}

}  // namespace
}  // namespace kinema::e2e
