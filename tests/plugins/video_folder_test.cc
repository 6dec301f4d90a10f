#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "kinema/dataset.h"
#include "kinema/error.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class video_folder : public testing::Test {
 protected:
  void SetUp() override {
    root =
        fs::path(testing::TempDir()) /
        ("kinema_video_folder_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    fs::create_directories(root);
  }
  void TearDown() override { fs::remove_all(root); }

  void touch(const std::string& path, const std::string& text = "x") {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path, std::ios::binary) << text;
  }
  std::shared_ptr<Dataset> make(Value options) {
    if (!options.find("root")) options.set("root", Value(root.string()));
    return host->make<Dataset>("video_folder", options);
  }
  std::vector<std::string> keys(const Value& options = Value::table()) {
    std::vector<std::string> list;
    const auto set = make(options);
    for (std::size_t i = 0; i < set->size(); ++i) list.push_back(set->item(i).key);
    return list;
  }
  std::vector<std::int64_t> labels(const Value& options) {
    std::vector<std::int64_t> list;
    const auto set = make(options);
    for (std::size_t i = 0; i < set->size(); ++i) list.push_back(set->item(i).target.label);
    return list;
  }
  std::string message(const Value& options) {
    try {
      make(options);
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }

  fs::path root;
  std::unique_ptr<test::ComponentsUnderTest> host = test::plugin_under_test("video_folder");
};

Value options(std::initializer_list<std::pair<std::string, Value>> entries) { return Value::table(entries); }
Value list_of(std::initializer_list<const char*> texts) {
  Value::Array array;
  for (const char* text : texts) array.emplace_back(text);
  return Value(std::move(array));
}

TEST_F(video_folder, classes_are_folders_sorted_by_byte_and_keys_are_relative_paths) {
  for (const char* path : {"walk/b.avi", "walk/a.AVI", "Zoo/x.mp4", "run/deep/c.mkv", "run/a.webm"})
    touch(path);
  const auto set = make(Value::table());
  EXPECT_THAT(set->classes(), ElementsAre("Zoo", "run", "walk"));
  EXPECT_THAT(keys(), ElementsAre("Zoo/x.mp4", "run/a.webm", "run/deep/c.mkv", "walk/a.AVI", "walk/b.avi"));
  EXPECT_THAT(labels(Value::table()), ElementsAre(0, 1, 1, 2, 2));
  EXPECT_EQ(set->item(4).sources.at(0).video, root / "walk/b.avi");
  EXPECT_THROW(set->item(5), std::out_of_range);
}

TEST_F(video_folder, skips_hidden_entries_and_other_files) {
  for (const char* path : {"a/1.avi", "a/2.avi", "a/.3.avi", "a/notes.txt", "a/noext", ".git/4.avi", "5.avi"})
    touch(path);
  EXPECT_THAT(keys(), ElementsAre("a/1.avi", "a/2.avi"));
  EXPECT_THAT(keys(options({{"extensions", list_of({"txt"})}})), ElementsAre("a/notes.txt"));
}

TEST_F(video_folder, follows_links_and_survives_circles) {
  touch("a/1.avi");
  touch("elsewhere/linked/2.avi");
  fs::create_directory_symlink(root / "elsewhere/linked", root / "a/more");
  fs::create_directory_symlink(root / "a", root / "a/circle");
  fs::create_symlink(root / "gone.avi", root / "a/broken.avi");
  EXPECT_THAT(keys(options({{"classes", list_of({"a"})}})),
              ElementsAre("a/1.avi", "a/broken.avi", "a/more/2.avi"));
}

TEST_F(video_folder, given_classes_choose_and_order_the_folders) {
  for (const char* path : {"a/1.avi", "b/1.avi", "c/1.avi"}) touch(path);
  const Value chosen = options({{"classes", list_of({"c", "a"})}});
  EXPECT_THAT(make(chosen)->classes(), ElementsAre("c", "a"));
  EXPECT_THAT(keys(chosen), ElementsAre("c/1.avi", "a/1.avi"));
  EXPECT_THAT(message(options({{"classes", list_of({"a", "d"})}})),
              HasSubstr("no folder for a class: expected one named \"d\", got none"));
  touch("names.txt", "b\r\n\r\na\r\n");
  EXPECT_THAT(make(options({{"classes_file", Value((root / "names.txt").string())}}))->classes(),
              ElementsAre("b", "a"));
}

TEST_F(video_folder, include_and_exclude_filter_by_pattern_and_keep_all_classes) {
  for (const char* path : {"a/x_1.avi", "a/y_1.avi", "b/y_2.avi"}) touch(path);
  EXPECT_THAT(keys(options({{"include", list_of({"*/x_*"})}})), ElementsAre("a/x_1.avi"));
  EXPECT_THAT(keys(options({{"exclude", list_of({"a/*"})}})), ElementsAre("b/y_2.avi"));
  EXPECT_THAT(make(options({{"exclude", list_of({"a/*"})}}))->classes(), ElementsAre("a", "b"));
  EXPECT_THAT(message(options({{"include", list_of({"nothing*"})}})),
              HasSubstr("no video is left: expected some after include, exclude and holdout, got none of 3"));
}

TEST_F(video_folder, classes_with_few_videos_stay_and_are_left_to_the_host_to_warn_about) {
  fs::create_directories(root / "empty");
  for (const char* path : {"one/1.avi", "two/1.avi", "two/2.avi"}) touch(path);
  EXPECT_THAT(make(Value::table())->classes(), ElementsAre("empty", "one", "two"));
  EXPECT_THAT(host->messages, ElementsAre());
}

TEST_F(video_folder, a_list_that_names_files_more_than_once_is_warned_about) {
  touch("twice.txt", "a.avi x\nb.avi y\na.avi x\n");
  make(options({{"list", Value((root / "twice.txt").string())}}));
  EXPECT_THAT(host->messages, ElementsAre("video_folder: the list names 1 files more than once"));
}

// Permissions do not stop root, who may run the tests: a link to itself cannot be looked at by anyone.
TEST_F(video_folder, what_cannot_be_looked_at_is_an_error_of_the_data) {
  fs::create_symlink("self", root / "self");
  const std::string reason = "got \"Too many levels of symbolic links\"";
  EXPECT_THAT(message(options({{"root", Value((root / "self").string())}})),
              HasSubstr("self: no such folder: expected the root of the data set, " + reason));
  EXPECT_THAT(message(options({{"root", Value((root / "self/deeper").string())}})), HasSubstr(reason));
  EXPECT_THAT(message(options({{"list", Value((root / "self").string())}})),
              HasSubstr("self: cannot read the file: expected a text file, " + reason));
  EXPECT_THAT(message(options({{"list", Value(root.string())}})), HasSubstr("got \"Is a directory\""));
  EXPECT_THAT(message(Value::table()),
              HasSubstr("self: cannot be looked at: expected a readable folder or file, " + reason));
  touch("file");
  EXPECT_THAT(message(options({{"root", Value((root / "file").string())}})), HasSubstr("got a file"));
}

class holdout : public video_folder {
 protected:
  void SetUp() override {
    video_folder::SetUp();
    for (const char* name : {"walk", "run"})
      for (int group = 0; group < 10; ++group)
        for (int take = 0; take < 2; ++take)
          touch(std::string(name) + "/v_g" + std::to_string(group) + "_c" + std::to_string(take) + ".avi");
  }
  // Both sides; checks that they are disjoint and complete, and name the same classes.
  std::pair<std::vector<std::string>, std::vector<std::string>> sides(const Value& how) {
    const Value train = options({{"holdout", how}, {"subset", Value("train")}});
    const Value test = options({{"holdout", how}, {"subset", Value("test")}});
    EXPECT_EQ(make(train)->classes(), make(test)->classes());
    std::set<std::string> all;
    const auto a = keys(train), b = keys(test);
    all.insert(a.begin(), a.end());
    all.insert(b.begin(), b.end());
    EXPECT_EQ(all.size(), 40u);
    EXPECT_EQ(a.size() + b.size(), 40u);
    return {a, b};
  }
};

TEST_F(holdout, fraction_takes_its_share_of_each_class_and_depends_on_the_seed) {
  const auto [train, test] = sides(options({{"fraction", Value(0.2)}}));
  EXPECT_EQ(test.size(), 8u);
  EXPECT_EQ(std::count_if(test.begin(), test.end(), [](const auto& key) { return key.starts_with("walk/"); }),
            4);
  EXPECT_EQ(sides(options({{"fraction", Value(0.2)}})).second, test);
  EXPECT_NE(sides(options({{"fraction", Value(0.2)}, {"seed", Value(2)}})).second, test);
}

TEST_F(holdout, group_regex_alone_keeps_back_what_it_matches) {
  const auto [train, test] = sides(options({{"group_regex", Value("_g(3|7)_")}}));
  EXPECT_EQ(test.size(), 8u);
  EXPECT_THAT(test, testing::Each(testing::ContainsRegex("_g[37]_")));
}

TEST_F(holdout, group_regex_with_fraction_keeps_groups_whole) {
  const auto [train, test] =
      sides(options({{"group_regex", Value("_g([0-9]+)_")}, {"fraction", Value(0.3)}}));
  std::set<std::string> groups;
  for (const std::string& key : test) groups.insert(key.substr(key.find("_g"), 3));
  EXPECT_EQ(groups.size(), 3u);
  EXPECT_EQ(test.size(), 12u);
}

TEST_F(holdout, group_regex_with_groups_keeps_back_the_named_ones) {
  const Value how = options({{"group_regex", Value("_g([0-9]+)_")}, {"groups", list_of({"1", "9"})}});
  EXPECT_EQ(sides(how).second.size(), 8u);
  const auto refused = [&](Value bad) {
    return message(options({{"holdout", std::move(bad)}, {"subset", Value("train")}}));
  };
  EXPECT_THAT(refused(options({{"group_regex", Value("_g([0-9]+)_")}, {"groups", list_of({"77"})}})),
              HasSubstr("unknown group: expected one of 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, got \"77\""));
  EXPECT_THAT(refused(options({{"group_regex", Value("_g([0-4]+)_")}, {"groups", list_of({"1"})}})),
              HasSubstr("run/v_g5_c0.avi: no group: expected a match of group_regex"));
  EXPECT_THAT(refused(options({{"group_regex", Value("_g([")}})),
              HasSubstr("expected an ECMAScript regular expression, got"));
  EXPECT_THAT(refused(options({{"group_regex", Value(std::string(60000, '('))}})),
              HasSubstr("group_regex is too long: expected at most 1000 bytes, got 60000"));
  EXPECT_THAT(refused(options({{"groups", list_of({"1"})}})),
              HasSubstr("missing key: expected group_regex beside groups, got none"));
}

TEST_F(holdout, holdout_and_subset_need_each_other) {
  EXPECT_THAT(message(options({{"holdout", options({{"fraction", Value(0.2)}})}})),
              HasSubstr("missing key: expected subset beside holdout, got none"));
  EXPECT_THAT(message(options({{"subset", Value("train")}})),
              HasSubstr("missing key: expected holdout beside subset, got none"));
  EXPECT_THAT(host->problems("dataset", "video_folder",
                             options({{"root", Value(root.string())}, {"subset", Value("val")}})),
              HasSubstr("subset"));
}

TEST_F(video_folder, lists_split_at_the_last_white_space_and_take_names_or_numbers) {
  touch("named.txt", "\xEF\xBB\xBFsome clips/my video.avi walk\r\n\r\nb.avi\trun\r\n");
  const Value named = options({{"list", Value((root / "named.txt").string())}});
  EXPECT_THAT(keys(named), ElementsAre("some clips/my video.avi", "b.avi"));
  EXPECT_THAT(make(named)->classes(), ElementsAre("run", "walk"));
  EXPECT_THAT(labels(named), ElementsAre(1, 0));
  touch("numbers.txt", "a.avi 2\nb.avi 0");
  const Value numbers = options({{"list", Value((root / "numbers.txt").string())}});
  EXPECT_THAT(labels(numbers), ElementsAre(2, 0));
  EXPECT_THAT(make(numbers)->classes(), ElementsAre("0", "1", "2"));
  const Value with_names =
      options({{"list", Value((root / "numbers.txt").string())}, {"classes", list_of({"x", "y", "z"})}});
  EXPECT_THAT(make(with_names)->classes(), ElementsAre("x", "y", "z"));
  EXPECT_THAT(labels(with_names), ElementsAre(2, 0));
}

TEST_F(video_folder, bad_lines_of_a_list_are_all_named_with_their_number) {
  touch("bad.txt", "a.avi walk\nnolabel\n../up.avi walk\n/abs.avi walk\nb.avi jump\nc.avi 7\n");
  const std::string text =
      message(options({{"list", Value((root / "bad.txt").string())}, {"classes", list_of({"walk", "run"})}}));
  EXPECT_THAT(text, HasSubstr("bad.txt:2: no label: expected `path label`, got \"nolabel\""));
  EXPECT_THAT(text, HasSubstr("bad.txt:3: a path that leaves root: expected no \"..\", got ../up.avi"));
  EXPECT_THAT(text, HasSubstr("bad.txt:4: an absolute path: expected one relative to root, got /abs.avi"));
  EXPECT_THAT(text, HasSubstr("bad.txt:5: unknown class: expected one of the 2 classes, got \"jump\""));
  EXPECT_THAT(text, HasSubstr("bad.txt:6: label out of range: expected 0 to 1, got 7"));
  touch("abs.txt", "/abs.avi walk\n../up.avi run\n");
  const Value allowed =
      options({{"list", Value((root / "abs.txt").string())}, {"allow_absolute", Value(true)}});
  EXPECT_EQ(make(allowed)->item(0).sources.at(0).video, "/abs.avi");
  touch("empty.txt", "\n\n");
  EXPECT_THAT(message(options({{"list", Value((root / "empty.txt").string())}})),
              HasSubstr("an empty list: expected lines of `path label`, got none"));
}

TEST_F(video_folder, roots_that_cannot_work_say_why) {
  EXPECT_THAT(message(Value::table()),
              HasSubstr("no class folders: expected a folder for each class, got none"));
  EXPECT_THAT(message(options({{"root", Value("/nonexistent/root")}})),
              HasSubstr("/nonexistent/root: no such folder: expected the root of the data set, got nothing"));
  touch("a/readme.txt");
  EXPECT_THAT(message(Value::table()),
              HasSubstr("no videos in the class folders: expected files with a known extension, got none"));
  EXPECT_THAT(host->problems("dataset", "video_folder", Value::table()), HasSubstr("root"));
}

TEST_F(video_folder, videos_may_have_their_optical_flow_in_another_folder) {
  touch("videos/walk/a.mp4");
  touch("flow/walk/a/flow_x_00001.jpg");
  touch("flow/walk/a/flow_y_00001.jpg");
  const auto set = make(options({{"root", Value((root / "videos").string())},
                                 {"flow_root", Value((root / "flow").string())},
                                 {"modalities", list_of({"rgb", "flow"})}}));
  ASSERT_EQ(set->item(0).sources.size(), 2u);
  EXPECT_EQ(set->item(0).sources[0].video, root / "videos/walk/a.mp4");
  EXPECT_EQ(set->item(0).sources[1].pattern, root / "flow/walk/a/flow_x_%05d.jpg");
  EXPECT_EQ(set->item(0).span.unit, Span::Unit::whole);
}

TEST_F(video_folder, splits_weizmann_by_actor) {
  const char* real = std::getenv("KINEMA_REAL_DATA");
  if (real == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  const Value how = options({{"group_regex", Value("(lyova|moshe|shahar)_")}});
  const Value weizmann((fs::path(real) / "actions/weizmann").string());
  const auto train = make(options({{"root", weizmann}, {"holdout", how}, {"subset", Value("train")}}));
  const auto test = make(options({{"root", weizmann}, {"holdout", how}, {"subset", Value("test")}}));
  EXPECT_THAT(train->classes(),
              ElementsAre("bend", "jack", "jump", "pjump", "run", "side", "skip", "walk", "wave1", "wave2"));
  EXPECT_EQ(train->size(), 60u);
  EXPECT_EQ(test->size(), 30u);
  EXPECT_EQ(test->item(0).key, "bend/lyova_bend.avi");
  EXPECT_TRUE(fs::exists(test->item(0).sources.at(0).video));
}

}  // namespace
}  // namespace kinema
