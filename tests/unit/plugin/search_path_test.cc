#include "framework/plugin/search_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/plugin/registry.h"
#include "tests/unit/plugin/museum.h"

namespace kinema::plugin {
namespace {

std::string text_of(const Problem& problem) {
  return problem.where + ": " + problem.what + (problem.hint.empty() ? "" : "\nhint: " + problem.hint);
}

void make_library(const fs::path& path) {
  fs::create_directories(path.parent_path());
  write_bytes(path, "a library");
}

TEST(search_path, goes_from_the_experiment_over_the_variable_to_the_built_in_folders) {
  const TemporaryFolder folder;
  for (const char* name :
       {"exp/a.so", "one/single.so", "env1/b.so", "env2/c.so", "plugins/d.so", "lib/kinema/plugins/e.so"})
    make_library(folder / name);
  const SearchPath path{{folder / "exp", folder / "one/single.so"},
                        (folder / "env1").string() + ":" + (folder / "env2").string(),
                        built_in_folders(folder / "bin/kinema")};
  const SearchResult result = find_libraries(path);
  EXPECT_THAT(result.files,
              testing::ElementsAre(folder / "exp/a.so", folder / "one/single.so", folder / "env1/b.so",
                                   folder / "env2/c.so", folder / "plugins/d.so",
                                   folder / "lib/kinema/plugins/e.so"));
  EXPECT_TRUE(result.refused.empty());
  EXPECT_TRUE(result.errors.empty());
}

TEST(search_path, takes_regular_files_named_so_in_alphabetical_order) {
  const TemporaryFolder folder;
  for (const char* name : {"p/b.so", "p/a.so", "p/readme.txt", "p/c.so.1", "p/inner/d.so"})
    make_library(folder / name);
  fs::create_directory(folder / "p/folder.so");
  fs::create_symlink(folder / "nowhere.so", folder / "p/dangling.so");
  const SearchResult result = find_libraries({{folder / "p"}, {}, {}});
  EXPECT_THAT(result.files, testing::ElementsAre(folder / "p/a.so", folder / "p/b.so"));
  EXPECT_TRUE(result.refused.empty());
}

TEST(search_path, follows_links_and_gives_each_file_once) {
  const TemporaryFolder folder;
  make_library(folder / "store/real.so");
  fs::create_directory(folder / "p");
  fs::create_symlink(folder / "store/real.so", folder / "p/link.so");
  fs::create_directory_symlink(folder / "store", folder / "other");
  const SearchResult result = find_libraries({{folder / "p", folder / "other", folder / "store"}, {}, {}});
  EXPECT_THAT(result.files, testing::ElementsAre(folder / "store/real.so"));
}

TEST(search_path, refuses_a_world_writable_folder_sticky_or_not) {
  const TemporaryFolder folder;
  make_library(folder / "p/a.so");
  make_library(folder / "q/b.so");
  for (const auto mode : {fs::perms::others_write, fs::perms::others_write | fs::perms::sticky_bit}) {
    fs::permissions(folder / "p", mode, fs::perm_options::add);
    const SearchResult result = find_libraries({{folder / "p", folder / "q"}, {}, {}});
    EXPECT_THAT(result.files, testing::ElementsAre(folder / "q/b.so"));
    ASSERT_EQ(result.refused.size(), 1u);
    const std::string p = (folder / "p").string();
    EXPECT_EQ(result.refused[0].path, p);
    EXPECT_EQ(text_of(result.refused[0].reason), p +
                                                     ": everybody may write to the folder: expected that "
                                                     "only its owner can add libraries\nhint: chmod o-w " +
                                                     p);
  }
}

TEST(search_path, refuses_a_link_into_a_world_writable_folder) {
  const TemporaryFolder folder;
  make_library(folder / "open/a.so");
  fs::permissions(folder / "open", fs::perms::others_write, fs::perm_options::add);
  fs::create_directory(folder / "p");
  fs::create_symlink(folder / "open/a.so", folder / "p/a.so");
  const SearchResult result = find_libraries({{folder / "p", folder / "open/a.so"}, {}, {}});
  EXPECT_TRUE(result.files.empty());
  ASSERT_EQ(result.refused.size(), 1u);
  EXPECT_EQ(result.refused[0].path, (folder / "open").string());
}

TEST(search_path, refuses_relative_and_empty_entries_of_the_variable) {
  const TemporaryFolder folder;
  make_library(folder / "p/a.so");
  const SearchResult result = find_libraries({{}, "plugins::" + (folder / "p").string(), {}});
  EXPECT_THAT(result.files, testing::ElementsAre(folder / "p/a.so"));
  ASSERT_EQ(result.refused.size(), 2u);
  EXPECT_EQ(text_of(result.refused[0].reason),
            "plugins: relative entry of KINEMA_PLUGIN_PATH: expected an absolute folder, got plugins");
  EXPECT_EQ(text_of(result.refused[1].reason),
            "KINEMA_PLUGIN_PATH: empty entry: expected absolute folders with single colons between them, got "
            "an empty one");
  EXPECT_TRUE(find_libraries({{}, "", {}}).refused.empty());
}

TEST(search_path, a_missing_place_is_an_error_only_when_the_user_named_it) {
  const TemporaryFolder folder;
  const std::string missing = (folder / "missing").string();
  const SearchResult result = find_libraries({{missing}, missing, {missing}});
  ASSERT_EQ(result.errors.size(), 2u);
  EXPECT_EQ(text_of(result.errors[0]), "plugins: no such folder or file: " + missing +
                                           "\nhint: expected a folder of libraries or one library");
  EXPECT_EQ(result.errors[1].where, "KINEMA_PLUGIN_PATH");
}

TEST(search_path, of_this_process_starts_at_its_own_program) {
  const SearchPath path = search_path({"mine"});
  EXPECT_THAT(path.experiment, testing::ElementsAre("mine"));
  ASSERT_EQ(path.built_in.size(), 2u);
  EXPECT_EQ(path.built_in[0], fs::path(KINEMA_BUILD_DIR) / "plugins");
}

TEST(search_path, refused_places_are_listed_by_the_registry) {
  const TemporaryFolder folder;
  make_library(folder / "p/a.so");
  fs::permissions(folder / "p", fs::perms::others_write, fs::perm_options::add);
  Registry registry;
  registry.load(find_libraries({{folder / "p", exhibit("well_behaved")}, {}, {}}));
  ASSERT_EQ(registry.libraries().size(), 2u);
  EXPECT_FALSE(registry.libraries()[0].loaded());
  EXPECT_EQ(registry.libraries()[0].path, (folder / "p").string());
  EXPECT_TRUE(registry.libraries()[1].loaded());
}

}  // namespace
}  // namespace kinema::plugin
