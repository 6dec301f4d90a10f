#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "framework/config/experiment.h"
#include "framework/config/render.h"
#include "tests/unit/config/fake_catalog.h"

// Each NAME.expected in tests/golden/config is the text that loading NAME.toml ends with. Lines "#: override
// X" and "#: environment X" in the file give overrides and KINEMA_SET. With KINEMA_UPDATE_GOLDEN set the
// texts are written anew; read the difference before you commit it.
namespace kinema::config {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = fs::path(KINEMA_GOLDEN_DIR) / "config";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> directives(const std::string& text, const std::string& name) {
  std::vector<std::string> found;
  std::istringstream lines(text);
  const std::string start = "#: " + name + " ";
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(start)) found.push_back(line.substr(start.size()));
  return found;
}

std::string error_text(const std::string& file) {
  const std::string text = read(file);
  const auto environment = directives(text, "environment");
  if (!environment.empty()) setenv("KINEMA_SET", environment[0].c_str(), 1);
  const Layers layers = read_layers(file, directives(text, "override"));
  unsetenv("KINEMA_SET");
  try {
    parse_experiment(layers, std::make_unique<FakeCatalog>().get());
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    return render(error, layers.sources, false);
  }
  return "no error\n";
}

std::vector<std::string> cases() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(kFolder))
    if (entry.path().extension() == ".expected") names.push_back(entry.path().stem().string());
  std::sort(names.begin(), names.end());
  return names;
}

class error_texts : public testing::TestWithParam<std::string> {};

TEST_P(error_texts, are_the_ones_on_record) {
  const fs::path before = fs::current_path();
  fs::current_path(kFolder);  // no machine's paths in the texts
  const std::string text = error_text(GetParam() + ".toml");
  const fs::path record = GetParam() + ".expected";
  if (std::getenv("KINEMA_UPDATE_GOLDEN")) std::ofstream(record, std::ios::binary) << text;
  EXPECT_EQ(text, read(record));
  fs::current_path(before);
}

INSTANTIATE_TEST_SUITE_P(config, error_texts, testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace kinema::config
