#include "framework/data/file_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::Scratch;
using test::spit;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> names(const std::vector<NamedFile>& files) {
  std::vector<std::string> list;
  for (const NamedFile& file : files) list.push_back(file.name);
  return list;
}

TEST(file_list, a_folder_holds_every_regular_file_but_those_that_describe_others) {
  const Scratch scratch;
  fs::create_directories(scratch / "b/c");
  for (const char* name : {"b/c/2.avi", "b/1.mp4", "z", "a.tsv", "b/README.md", "x.json", "x.txt", "x.csv"})
    spit(scratch / name, "x");
  fs::create_symlink(scratch / "z", scratch / "link.mp4");
  fs::create_symlink(scratch / "nothing", scratch / "dead.mp4");
  fs::create_directory_symlink(scratch / "b", scratch / "loop");
  EXPECT_THAT(names(files_in(scratch.path())), ElementsAre("b/1.mp4", "b/c/2.avi", "link.mp4", "x.csv", "z"));
  EXPECT_EQ(files_in(scratch.path())[0].path, scratch / "b/1.mp4");
  EXPECT_THAT(error_of([&] { files_in(scratch / "none"); }), HasSubstr("cannot read: expected a folder"));
}

TEST(file_list, a_line_is_a_path_or_begins_with_one) {
  const Scratch scratch;
  for (const char* name : {"a.mp4", "two words.mp4", "with, comma.mp4", "a b 12"}) spit(scratch / name, "x");
  const auto path = [&](const char* line) { return path_in_line(line, scratch.path()); };
  EXPECT_EQ(path("a.mp4"), "a.mp4");
  EXPECT_EQ(path("  a.mp4 0\r"), "a.mp4");
  EXPECT_EQ(path("a.mp4,running,1.5"), "a.mp4");
  EXPECT_EQ(path("a.mp4\trunning fast"), "a.mp4");
  EXPECT_EQ(path("a.mp4 running fast"), "a.mp4");
  EXPECT_EQ(path("two words.mp4"), "two words.mp4");
  EXPECT_EQ(path("two words.mp4 3"), "two words.mp4");
  EXPECT_EQ(path("with, comma.mp4"), "with, comma.mp4");
  EXPECT_EQ(path("\"with, comma.mp4\",\"a \"\"label\"\"\""), "with, comma.mp4");
  EXPECT_EQ(path("a b 12"), "a b 12");
}

TEST(file_list, a_name_that_is_missing_is_told_from_the_columns_behind_it) {
  const Scratch scratch;
  const auto path = [&](const char* line) { return path_in_line(line, scratch.path()); };
  EXPECT_EQ(path("gone.mp4"), "gone.mp4");
  EXPECT_EQ(path("gone.mp4 12 0.5"), "gone.mp4");
  EXPECT_EQ(path("gone away.mp4"), "gone away.mp4");
  EXPECT_EQ(path("gone away.mp4 3"), "gone away.mp4");
  EXPECT_EQ(path("folder 12 3"), "folder");
}

TEST(file_list, a_list_starts_from_its_folder_and_names_each_file_once) {
  const Scratch scratch;
  fs::create_directories(scratch / "v/frames");
  for (const char* name : {"v/a.mp4", "v/frames/img_2.jpg", "v/frames/img_1.jpg"}) spit(scratch / name, "x");
  spit(scratch / "v/list.csv",
       "\xEF\xBB\xBFpath,label\na.mp4,run\n\na.mp4,walk\ngone.mp4,walk\nframes,walk\n");
  const std::vector<NamedFile> files = files_of_list(scratch / "v/list.csv");
  EXPECT_THAT(names(files), ElementsAre("a.mp4", "gone.mp4", "frames/img_1.jpg", "frames/img_2.jpg"));
  EXPECT_EQ(files[0].path, scratch / "v/a.mp4");
  EXPECT_THAT(error_of([&] { files_of_list(scratch / "none.txt"); }),
              HasSubstr("none.txt: cannot read: expected a list of videos, got"));
}

TEST(common_folder, is_the_longest_beginning_in_whole_names) {
  EXPECT_EQ(common_folder({"/a/b/c", "/a/b/d", "/a/b"}), "/a/b");
  EXPECT_EQ(common_folder({"/a/bc", "/a/bd"}), "/a");
  EXPECT_EQ(common_folder({"/a/b"}), "/a/b");
  EXPECT_EQ(common_folder({"/a", "/b"}), "/");
  EXPECT_EQ(common_folder(std::vector<std::filesystem::path>{}), "");
}

}  // namespace
}  // namespace kinema::data
