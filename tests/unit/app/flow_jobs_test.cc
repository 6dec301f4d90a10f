#include "framework/app/flow_jobs.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>

namespace kinema::app {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;

class flow_jobs_of : public testing::Test {
 protected:
  void SetUp() override { fs::remove_all(folder); }
  void TearDown() override { fs::remove_all(folder); }
  void touch(const std::string& name, const std::string& text = "x") {
    fs::create_directories((folder / name).parent_path());
    std::ofstream(folder / name) << text;
  }
  std::vector<std::string> folders(const fs::path& target) {
    std::vector<std::string> names;
    for (const flow::FlowJob& job : flow_jobs({target.string(), {}})) names.push_back(job.folder);
    return names;
  }
  fs::path folder = fs::path(testing::TempDir()) / "kinema_flow_jobs";
};

TEST_F(flow_jobs_of, a_folder_are_its_videos_by_path_without_extension) {
  for (const char* name :
       {"b.avi", "walk/a.mp4", "walk/notes.txt", "walk/cover.JPG", ".hidden/c.avi", "100%/d.x.mkv"})
    touch(name);
  fs::create_directory_symlink(folder, folder / "walk/circle");
  EXPECT_THAT(folders(folder), ElementsAre("100%/d.x", "b", "walk/a"));
}

TEST_F(flow_jobs_of, a_folder_keep_their_extension_where_places_would_meet) {
  for (const char* name : {"a.avi", "a.mp4", "b.avi", "c.avi", "c/d.avi"}) touch(name);
  EXPECT_THAT(folders(folder), ElementsAre("a.avi", "a.mp4", "b", "c.avi", "c/d"));
}

TEST_F(flow_jobs_of, a_list_are_its_lines_once_each) {
  touch("a b.avi");
  touch("list.txt", "a b.avi\n./a b.avi walk\nsub/gone.mp4 3\n\n");
  EXPECT_THAT(folders(folder / "list.txt"), ElementsAre("a b", "sub/gone"));
}

}  // namespace
}  // namespace kinema::app
