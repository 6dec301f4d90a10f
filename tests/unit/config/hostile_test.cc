#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "framework/config/experiment.h"
#include "framework/config/render.h"
#include "framework/config/show.h"
#include "kinema/random.h"
#include "tests/unit/config/fake_catalog.h"
#include "tests/unit/config/folder.h"

namespace kinema::config {
namespace {

std::vector<std::string> texts_on_record() {
  std::vector<std::string> texts;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(KINEMA_GOLDEN_DIR) / "config")) {
    if (entry.path().extension() != ".toml") continue;
    std::ifstream stream(entry.path(), std::ios::binary);
    std::stringstream text;
    text << stream.rdbuf();
    texts.push_back(text.str());
  }
  return texts;
}

// Bytes changed, lines doubled, texts cut and glued.
std::string damaged(std::string text, const std::string& other, Random& random) {
  constexpr std::string_view kOdd = "[]{}=\"'.,#\n\\$~@\0\xff-09e_";
  const auto at = [&] { return static_cast<std::size_t>(random.below(text.size() + 1)); };
  for (auto i = random.below(6); i > 0; --i) text.insert(at(), 1, kOdd[random.below(kOdd.size())]);
  if (random.chance(0.3)) text.erase(at(), random.below(20));
  if (random.chance(0.3)) text.insert(at(), other.substr(random.below(other.size() + 1), random.below(60)));
  if (random.chance(0.1)) text.resize(at());
  return text;
}

// Either an experiment that shows and parses back, or an error that can be rendered.
void try_out(const std::filesystem::path& file, const std::vector<std::string>& overrides) {
  const FakeCatalog catalog;
  const Layers layers = read_layers(file, overrides);
  try {
    const Experiment experiment = parse_experiment(layers, &catalog);
    std::ofstream(file, std::ios::binary) << show(experiment.resolved, true);
    EXPECT_EQ(parse_experiment(read_layers(file), &catalog).resolved, experiment.resolved);
  } catch (const Error& error) {
    EXPECT_FALSE(error.problems().empty());
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_NE(render(error, layers.sources, true), "");
  }
}

TEST(hostile_files, end_in_an_experiment_or_in_an_error) {
  const Folder folder;
  const auto texts = texts_on_record();
  for (std::uint64_t trial = 0; trial < 700; ++trial) {
    SCOPED_TRACE(trial);
    Random random(1, 0, trial, "hostile");
    const std::string& text = texts[random.below(texts.size())];
    try_out(folder.write("x.toml", damaged(text, texts[random.below(texts.size())], random)), {});
  }
}

TEST(hostile_overrides, end_in_an_experiment_or_in_an_error) {
  const Folder folder;
  const std::string text =
      "[model]\ntype = \"resnet3d\"\n[data.train]\ntype = \"folder\"\nroot = \"v\"\n[data.val]\ntype = "
      "\"folder\"\n"
      "root = \"v\"\n[[callback]]\ntype = \"early_stopping\"\n";
  const std::vector<std::string> whole = {"model.depth=50",
                                          "callback.0.patience=3",
                                          "plugins+=dir",
                                          "~data.val.root",
                                          "model={ type = \"x\" }",
                                          "callback.0.type=\"a\"",
                                          "~callback.0",
                                          "data=@x.toml",
                                          "clip.mean=[1, 2, 3]",
                                          "clip.short_side=128",
                                          "callback+={ type = \"\" }",
                                          "=",
                                          "~",
                                          "a=",
                                          "~."};
  for (std::uint64_t trial = 0; trial < 700; ++trial) {
    SCOPED_TRACE(trial);
    Random random(1, 0, trial, "hostile");
    std::vector<std::string> overrides;
    for (auto i = random.below(4); i > 0; --i) {
      const std::string& one = whole[random.below(whole.size())];
      overrides.push_back(random.chance(0.3) ? one : damaged(one, whole[random.below(whole.size())], random));
    }
    try_out(folder.write("x.toml", text), overrides);
  }
}

}  // namespace
}  // namespace kinema::config
