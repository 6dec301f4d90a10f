#include <algorithm>
#include <fstream>
#include <regex>

#include "tests/e2e/project.h"

// Every experiment file and every part of one that the tree shows is checked against the program's own
// schema.
namespace kinema::e2e {
namespace {

namespace fs = std::filesystem;

const fs::path kTree = KINEMA_SOURCE_DIR;

std::vector<fs::path> toml_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder))
    if (entry.path().extension() == ".toml") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

// What a part of a file needs around it, and nothing that could contradict it.
std::string rest_for(const std::string& part) {
  std::string rest;
  if (!has_line(part, "[model]")) rest += "[model]\ntype = \"resnet3d\"\n";
  for (const char* use : {"train", "val"})
    if (const std::string section = std::string("[data.") + use + "]"; !has_line(part, section))
      rest += section + "\ntype = \"video_folder\"\nroot = \"clips/train\"\n";
  return rest;
}

// `# key = value`: an option that a file shows without setting it.
std::string with_shown_options_set(const std::string& text) {
  return std::regex_replace(text, std::regex("(^|\n)# ([a-z_]+ = )"), "$1$2");
}

// Checked as far as no data are needed: every key, type, range and combination.
test::Finished checked(const Project& project, std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), {"config", "show"});
  test::Command command = project.command(std::move(arguments));
  command.environment["KINEMA_REAL_DATA"] = "/nowhere";
  return test::run(command);
}

TEST(example_files, every_plugin_shows_its_options_in_a_file_that_the_program_accepts) {
  const Project project;
  const std::vector<fs::path> files = toml_files(kTree / "plugins");
  ASSERT_GE(files.size(), 11u);
  for (const fs::path& file : files) {
    const std::string text = text_of(file);
    EXPECT_TRUE(has_line(text, "type = \"" + file.stem().string() + "\"")) << file;
    project.write("part.toml", text);
    project.write("rest.toml", rest_for(text));
    project.write("whole.toml", "extends = [\"rest.toml\", \"part.toml\"]\n");
    EXPECT_TRUE(ended(checked(project, {"whole.toml"}), 0)) << file;
    project.write("part.toml", with_shown_options_set(text));
    EXPECT_TRUE(ended(checked(project, {"whole.toml"}), 0)) << file << " with its commented options";
  }
}

TEST(example_files, every_plugin_folder_has_such_a_file) {
  for (const char* kind : {"models", "datasets", "losses", "callbacks", "schedulers"})
    for (const auto& folder : fs::directory_iterator(kTree / "plugins" / kind)) {
      const std::string name = folder.path().filename();
      if (!fs::exists(folder.path() / (name + ".cc"))) continue;  // shared sources
      EXPECT_TRUE(fs::exists(folder.path() / (name + ".toml"))) << folder.path();
    }
}

TEST(example_files, every_example_is_accepted_and_so_is_a_part_to_swap_in) {
  const Project project;
  const std::vector<fs::path> files = toml_files(kTree / "examples");
  ASSERT_GE(files.size(), 2u);
  ASSERT_TRUE(ended(project.kinema({"demo", "--eject", "project"}), 0));
  const std::string plugins = "plugins+=" + std::string(KINEMA_BUILD_DIR) + "/examples/plugins";
  for (const fs::path& file : files) {
    const std::string text = text_of(file);
    std::vector<std::string> arguments = {file};
    if (has_line(text, "extends = [\"project/demo.toml\"]")) {
      project.write(file.filename().string(), text);
      arguments = {file.filename(), "~clip.flip", plugins};
    } else if (!has_line(text, "[model]")) {
      const std::string section = file.filename() == "model.toml" ? "model=@" : "data=@";
      arguments = {"tiny.toml", section + file.string(), plugins};
    }
    EXPECT_TRUE(ended(checked(project, arguments), 0)) << file;
  }
}

TEST(example_files, a_mistake_in_one_would_be_found) {
  const Project project;
  project.write("whole.toml", "extends = [\"tiny.toml\"]\n[model]\nlayuot = \"torchvision\"\n");
  EXPECT_TRUE(ended(checked(project, {"whole.toml"}), 2));
  EXPECT_EQ(with_shown_options_set("# A text.\n# depth = 18  # why\n#   list = 1\n"),
            "# A text.\ndepth = 18  # why\n#   list = 1\n");
}

}  // namespace
}  // namespace kinema::e2e
