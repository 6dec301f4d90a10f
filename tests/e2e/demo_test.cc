#include <nlohmann/json.hpp>

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
