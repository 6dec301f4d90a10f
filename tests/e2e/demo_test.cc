#include <nlohmann/json.hpp>

#include <sstream>

#include "tests/e2e/project.h"

namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

nlohmann::json json_of(const fs::path& file) { return nlohmann::json::parse(text_of(file)); }

// The line of a text that begins with `start`, without it.
std::string line_after(const std::string& text, const std::string& start) {
  const std::size_t begin = text.find(start);
  if (begin == std::string::npos) return {};
  return text.substr(begin + start.size(), text.find('\n', begin) - begin - start.size());
}

void predicts_with_the_checkpoint_alone(const Project& project, const fs::path& run) {
  fs::create_directories(project / "elsewhere");
  fs::copy(fs::canonical(run / "checkpoints/best-val_top1"), project / "elsewhere/model",
           fs::copy_options::recursive);
  const fs::path clips = project / "runs/demo/project/clips", hidden = project / "held_out";
  fs::rename(clips / "test", hidden);
  fs::rename(clips / "train", project / "away");
  const test::Finished predicted = project.kinema({"predict", "elsewhere/model", "held_out", "--json"});
  fs::rename(hidden, clips / "test");
  fs::rename(project / "away", clips / "train");
  ASSERT_TRUE(ended(predicted, 0));
  std::istringstream lines(predicted.out);
  int right = 0, all = 0;
  for (std::string line; std::getline(lines, line); ++all) {
    const nlohmann::json result = nlohmann::json::parse(line);
    const fs::path video = result["video"].get<std::string>();
    right += video.parent_path().filename().string() == result["top"][0]["class"].get<std::string>();
  }
  EXPECT_EQ(all, 48);
  EXPECT_GE(right, 46);
}

TEST(demo, learns_the_direction_of_motion_and_leaves_a_complete_run_folder) {
  const Project project;
  const test::Finished run = project.kinema({"demo"});
  ASSERT_TRUE(ended(run, 0));
  const fs::path folder = project / line_after(run.out, "results   ");
  const nlohmann::json summary = json_of(folder / "summary.json");
  EXPECT_EQ(summary["status"], "finished");
  EXPECT_EQ(summary["best"]["metric"], "val/top1");
  EXPECT_GE(summary["best"]["value"], 0.95);
  for (const char* next : {"kinema predict ", "kinema eval ", "--resume"})
    EXPECT_THAT(run.out, HasSubstr(next));
  for (const char* name :
       {"config.toml", "env.json", "plugins.json", "train.log", "metrics.jsonl", "metrics.csv",
        "checkpoints/last/model.safetensors", "checkpoints/best-val_top1/manifest.json"})
    EXPECT_TRUE(fs::exists(folder / name)) << name;
  EXPECT_EQ(fs::canonical(project / "runs/demo/latest"), fs::canonical(folder));
  predicts_with_the_checkpoint_alone(project, folder);
  // What was saved runs again as it is, from anywhere.
  const test::Finished again =
      project.kinema({"train", (folder / "config.toml").string(), "trainer.epochs=1", "name=again"});
  ASSERT_TRUE(ended(again, 0));
}

TEST(demo, eject_leaves_a_project_of_ones_own_that_trains) {
  const Project project;
  const test::Finished ejected = project.kinema({"demo", "--eject", "mine"});
  ASSERT_TRUE(ended(ejected, 0));
  const std::string file = text_of(project / "mine/demo.toml");
  EXPECT_THAT(file, Not(HasSubstr("extends")));
  EXPECT_THAT(file, Not(HasSubstr("early_stopping")));
  for (const char* text : {"epochs = ", "lr = ", "type = \"resnet3d\"", "type = \"video_folder\"",
                           "type = \"cross_entropy\"", "every_epochs = 1"})
    EXPECT_THAT(file, HasSubstr(text));
  EXPECT_TRUE(fs::exists(project / "mine/clips/train/left/000.mp4"));
  EXPECT_THAT(ejected.out, HasSubstr("kinema train mine/demo.toml"));
  ASSERT_TRUE(ended(project.kinema({"train", "mine/demo.toml", "trainer.max_steps=2"}), 0));
  const test::Finished twice = project.kinema({"demo", "--eject", "mine"});
  ASSERT_TRUE(ended(twice, 2));
  EXPECT_THAT(twice.err, HasSubstr("mine: not empty: expected a new folder, got one with files in it"));
}

}  // namespace
}  // namespace kinema::e2e
