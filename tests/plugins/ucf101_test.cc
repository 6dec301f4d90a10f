#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "kinema/dataset.h"
#include "kinema/error.h"
#include "tests/support/plugin_under_test.h"

namespace kinema {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;

class ucf101 : public testing::Test {
 protected:
  void SetUp() override {
    root = fs::path(testing::TempDir()) /
           ("kinema_ucf101_" + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::remove_all(root);
    fs::create_directories(root);
    write("classInd.txt", "1 Hammering\r\n2 HammerThrow\r\n3 HandstandPushups\r\n");
    write("trainlist01.txt",
          "Hammering/v_Hammering_g08_c01.avi 1\r\nHammerThrow/v_HammerThrow_g08_c01.avi 2\r\n"
          "HandstandPushups/v_HandStandPushups_g08_c01.avi 3\r\n");
    write("testlist01.txt",
          "HandstandPushups/v_HandStandPushups_g01_c01.avi\r\nHammering/v_Hammering_g01_c01.avi\r\n");
  }
  void TearDown() override { fs::remove_all(root); }

  void write(const std::string& name, const std::string& text) {
    fs::create_directories((root / name).parent_path());
    std::ofstream(root / name, std::ios::binary) << text;
  }
  std::shared_ptr<Dataset> make(std::initializer_list<std::pair<std::string, Value>> entries = {}) {
    Value options = Value::table(entries);
    if (!options.find("root")) options.set("root", Value(root.string()));
    return host->make<Dataset>("ucf101", options);
  }
  std::string message(std::initializer_list<std::pair<std::string, Value>> entries = {}) {
    try {
      make(entries);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "no error";
  }

  fs::path root;
  std::unique_ptr<test::ComponentsUnderTest> host = test::plugin_under_test("ucf101");
};

TEST_F(ucf101, labels_follow_the_class_index_and_not_the_alphabet) {
  const auto train = make();
  EXPECT_THAT(train->classes(), ElementsAre("Hammering", "HammerThrow", "HandstandPushups"));
  ASSERT_EQ(train->size(), 3u);
  EXPECT_EQ(train->item(1).target.label, 1);
  EXPECT_EQ(train->item(1).key, "HammerThrow/v_HammerThrow_g08_c01.avi");
  EXPECT_EQ(train->item(1).sources.at(0).video, root / "HammerThrow/v_HammerThrow_g08_c01.avi");
  EXPECT_THROW(train->item(3), std::out_of_range);
}

TEST_F(ucf101, the_test_list_takes_its_labels_from_the_folders) {
  const auto test = make({{"subset", Value("test")}});
  ASSERT_EQ(test->size(), 2u);
  EXPECT_EQ(test->item(0).target.label, 2) << "HandstandPushups holds v_HandStandPushups";
  EXPECT_EQ(test->item(1).target.label, 0);
  EXPECT_EQ(test->classes(), make()->classes());
}

TEST_F(ucf101, finds_the_folders_of_the_two_archives) {
  fs::create_directories(root / "unpacked/UCF-101");
  fs::create_directories(root / "unpacked/ucfTrainTestlist");
  for (const char* name : {"classInd.txt", "trainlist01.txt"})
    fs::copy_file(root / name, root / "unpacked/ucfTrainTestlist" / name);
  const auto set = make({{"root", Value((root / "unpacked").string())}});
  EXPECT_EQ(set->item(0).sources.at(0).video, root / "unpacked/UCF-101/Hammering/v_Hammering_g08_c01.avi");
  const auto apart =
      make({{"root", Value((root / "unpacked").string())}, {"annotations", Value(root.string())}});
  EXPECT_EQ(apart->size(), 3u);
}

TEST_F(ucf101, bad_lines_are_all_named_with_their_number) {
  write("trainlist01.txt",
        "Hammering/a.avi 1\nJumping/b.avi 1\nHammering/c.avi\nHammerThrow/d.avi 1\nd.avi "
        "2\nHammering/../e.avi 1\n"
        "Hammering/f.avi 1 1\n");
  const std::string text = message();
  EXPECT_THAT(text,
              HasSubstr("trainlist01.txt:2: unknown class: expected one of classInd.txt, got \"Jumping\""));
  EXPECT_THAT(
      text,
      HasSubstr("trainlist01.txt:3: not a clip: expected `class/file.avi id`, got \"Hammering/c.avi\""));
  EXPECT_THAT(
      text,
      HasSubstr(
          "trainlist01.txt:4: the id does not belong to the folder: expected 2 for HammerThrow, got 1"));
  EXPECT_THAT(text, HasSubstr("trainlist01.txt:5: not a clip"));
  EXPECT_THAT(text, HasSubstr("trainlist01.txt:6: not a clip"));
  EXPECT_THAT(text, HasSubstr("trainlist01.txt:7: not a clip"));
  EXPECT_THAT(text, testing::Not(HasSubstr("trainlist01.txt:1")));
}

TEST_F(ucf101, a_class_index_with_gaps_or_repeats_is_refused) {
  write("classInd.txt", "0 A\n2 B\nthree C\n4 B\n");
  const std::string text = message();
  EXPECT_THAT(text, HasSubstr("classInd.txt:1: ids count from 1 without gaps: expected 1, got 0"));
  EXPECT_THAT(text, HasSubstr("classInd.txt:3: not a class: expected `id name`, got \"three C\""));
  EXPECT_THAT(text, HasSubstr("classInd.txt:4: repeated class: expected each name once, got \"B\" twice"));
}

TEST_F(ucf101, missing_folders_and_lists_say_what_was_expected) {
  EXPECT_THAT(message({{"root", Value("/nonexistent/ucf")}}),
              HasSubstr("/nonexistent/ucf: no such folder: expected the unpacked UCF101 videos, got none"));
  EXPECT_THAT(message({{"split", Value(2)}}),
              HasSubstr("trainlist02.txt: cannot read the file: expected an official UCF101 list, got \"No "
                        "such file or directory\""));
  write("trainlist01.txt", "\r\n");
  EXPECT_THAT(message(), HasSubstr("an empty list: expected clips, got none"));
}

TEST_F(ucf101, takes_the_json_of_3d_resnets) {
  write("ucf101_01.json",
        R"({"labels": ["HammerThrow", "Archery"], "database": {
  "v_Archery_g01_c01": {"subset": "training", "annotations": {"label": "Archery", "segment": [1, 166]}},
  "v_Archery_g02_c01": {"subset": "validation", "annotations": {"label": "Archery"}},
  "v_X_g02_c01": {"subset": "training", "annotations": {"label": "Archer"}}}})");
  const Value json((root / "ucf101_01.json").string());
  const auto test = make({{"json", json}, {"subset", Value("test")}});
  EXPECT_THAT(test->classes(), ElementsAre("HammerThrow", "Archery"));
  ASSERT_EQ(test->size(), 1u);
  EXPECT_EQ(test->item(0).key, "Archery/v_Archery_g02_c01.avi");
  EXPECT_EQ(test->item(0).target.label, 1);
  EXPECT_THAT(message({{"json", json}}),
              HasSubstr("ucf101_01.json:4: unknown class: expected one of the 2 classes, got \"Archer\""));
}

TEST_F(ucf101, dots_in_a_file_name_lead_nowhere) {
  write("trainlist01.txt", "Hammering/v..Hammering_g08_c01...avi 1\n");
  EXPECT_EQ(make()->item(0).key, "Hammering/v..Hammering_g08_c01...avi");
}

// Permissions do not stop root, who may run the tests: a link to itself cannot be looked at by anyone.
TEST_F(ucf101, what_cannot_be_looked_at_is_an_error_of_the_data) {
  fs::create_symlink("self", root / "self");
  const std::string reason = "got \"Too many levels of symbolic links\"";
  EXPECT_THAT(message({{"root", Value((root / "self").string())}}),
              HasSubstr("self: cannot be looked at: expected a readable folder, " + reason));
  fs::create_symlink("UCF-101", root / "UCF-101");
  EXPECT_THAT(message(), HasSubstr("UCF-101: cannot be looked at: expected a readable folder, " + reason));
}

TEST_F(ucf101, only_the_three_splits_and_two_subsets_exist) {
  const auto problems = [&](const char* key, Value value) {
    return host->problems("dataset", "ucf101",
                          Value::table({{"root", Value(root.string())}, {key, std::move(value)}}));
  };
  EXPECT_THAT(problems("split", Value(4)), HasSubstr("split"));
  EXPECT_THAT(problems("subset", Value("val")), HasSubstr("subset"));
  EXPECT_EQ(problems("split", Value(3)), "");
}

TEST_F(ucf101, reads_the_official_lists) {
  const char* real = std::getenv("KINEMA_REAL_DATA");
  if (real == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  const fs::path lists = fs::path(real) / "annotations/ucf101";
  if (!fs::exists(lists)) GTEST_SKIP() << "no annotations/ucf101 in KINEMA_REAL_DATA";
  const std::size_t train[] = {9537, 9586, 9624}, test[] = {3783, 3734, 3696};
  for (int split = 1; split <= 3; ++split) {
    const auto make_side = [&](const char* subset) {
      return make(
          {{"annotations", Value(lists.string())}, {"split", Value(split)}, {"subset", Value(subset)}});
    };
    EXPECT_EQ(make_side("train")->size(), train[split - 1]);
    EXPECT_EQ(make_side("test")->size(), test[split - 1]);
    const auto classes = make_side("test")->classes();
    ASSERT_EQ(classes.size(), 101u);
    EXPECT_EQ(classes[34], "Hammering");
    EXPECT_EQ(classes[35], "HammerThrow");
    EXPECT_EQ(classes[46], "JumpingJack");
    EXPECT_EQ(classes[47], "JumpRope");
  }
}

}  // namespace
}  // namespace kinema
