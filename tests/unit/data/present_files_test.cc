#include "framework/data/present_files.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

class present_files : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             (std::string("kinema_present_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string write(const std::string& name) {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << "x";
    return (folder / name).string();
  }
  // Each answer must be that of the file system alone.
  void expect_as_asked_alone(const std::vector<std::string>& paths) {
    PresentFiles files;
    for (const std::string& path : paths) files.ask(path);
    const std::vector<char> there = files.answer();
    ASSERT_EQ(there.size(), paths.size());
    for (std::size_t i = 0; i < paths.size(); ++i) {
      std::error_code ignored;
      EXPECT_EQ(there[i] != 0, fs::exists(paths[i], ignored)) << paths[i];
    }
    EXPECT_EQ(files.size(), 0u) << "answered questions are forgotten";
  }
  fs::path folder;
};

TEST_F(present_files, answers_are_those_of_asking_for_each_alone) {
  std::vector<std::string> paths;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "many/" + std::to_string(i) + ".mp4";
    paths.push_back(i % 3 == 0 ? (folder / name).string() : write(name));
    paths.push_back((folder / "none" / std::to_string(i)).string());
    paths.push_back(paths.front());  // again and again
  }
  paths.push_back(write("few/a"));
  paths.push_back((folder / "few/b").string());
  paths.push_back((folder / "many/1.mp4/below a file").string());
  for (const char* name : {"", ".", "/", "..", "no such file in the working folder"}) paths.push_back(name);
  for (const char* ending : {"/many", "/many/", "/many/.", "/many/../many/1.mp4", "//many//1.mp4"})
    paths.push_back(folder.string() + ending);
  expect_as_asked_alone(paths);
}

TEST_F(present_files, links_count_as_what_they_lead_to) {
  std::vector<std::string> paths;
  const std::string file = write("real/file");
  for (int i = 0; i < 40; ++i) {
    const fs::path link = folder / "links" / std::to_string(i);
    fs::create_directories(link.parent_path());
    fs::create_symlink(i % 2 == 0 ? fs::path(file) : folder / "nowhere", link);
    paths.push_back(link.string());
  }
  expect_as_asked_alone(paths);
}

TEST_F(present_files, a_folder_much_larger_than_what_is_asked_for_gives_the_same_answers) {
  for (int i = 0; i < 3000; ++i) write("large/" + std::to_string(i));
  std::vector<std::string> paths;
  for (int i = 2900; i < 3100; ++i) paths.push_back((folder / "large" / std::to_string(i)).string());
  expect_as_asked_alone(paths);
}

}  // namespace
}  // namespace kinema::data
