#include "framework/data/check.h"

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <limits>

#include "kinema/error.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

template <class F>
std::string message_of(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.what();
  }
  return "no error";
}

std::shared_ptr<test::ListedItems> files(int present, int missing) {
  const auto folder = std::filesystem::path(testing::TempDir()) / "kinema_check";
  std::filesystem::create_directories(folder);
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"run", "walk"};
  for (int i = 0; i < present; ++i) {
    std::ofstream(folder / std::to_string(i)) << "x";
    set->add_video((folder / std::to_string(i)).string(), i % 2);
  }
  for (int i = 0; i < missing; ++i) set->add_video("gone" + std::to_string(i) + ".avi", 0);
  return set;
}

TEST(check, missing_files_are_counted_and_the_first_ones_named) {
  const DataReport report = inspect(*files(93, 7), "data.train");
  EXPECT_EQ(report.missing, 7u);
  EXPECT_EQ(report.missing_files.size(), 7u);
  EXPECT_THAT(report.warnings,
              testing::ElementsAre("data.train: 7 of 100 files do not exist: gone0.avi, gone1.avi, "
                                   "gone2.avi, gone3.avi, gone4.avi, ..."));
  EXPECT_EQ(message_of([&] { check_missing(report, "data.train", 0.07); }), "no error");
  EXPECT_THAT(
      message_of([&] { check_missing(report, "data.train", 0.01); }),
      testing::AllOf(
          testing::HasSubstr("gone0.avi: no such file: expected a source of the data set, got nothing"),
          testing::HasSubstr("data.train: too many files do not exist: expected at most 0.01 of the "
                             "items, got 7 of 100")));
}

TEST(check, an_item_with_several_files_that_are_missing_counts_once_and_names_the_first) {
  const auto set = files(2, 0);
  const auto folder = std::filesystem::path(testing::TempDir()) / "kinema_check";
  Item flow = set->item(0);
  flow.sources.push_back({.modality = "flow", .pattern = "none/x_%d.jpg", .pattern_down = "none/y_%d.jpg"});
  Item pictures = set->item(1);
  pictures.sources[0] = {.pattern = folder / "img_%d.jpg"};
  set->items = {flow, pictures, flow};
  const DataReport report = inspect(*set, "data.train");
  EXPECT_EQ(report.missing, 2u);
  EXPECT_THAT(report.missing_files, testing::ElementsAre("none/x_%d.jpg", "none/x_%d.jpg"));
}

TEST(check, a_data_set_without_any_file_is_refused) {
  EXPECT_THAT(message_of([] { inspect(*files(0, 3), "data.val"); }),
              testing::HasSubstr(
                  "data.val: none of the 3 files exists: expected gone0.avi, got nothing\nhint: is root the "
                  "folder that the paths start from?"));
  EXPECT_THAT(message_of([] { inspect(*files(0, 0), "data.val"); }),
              testing::HasSubstr("data.val: no items: expected at least one video, got none"));
}

TEST(check, empty_classes_and_classes_of_one_are_named) {
  auto set = test::counting_items(4);  // run 2, walk 1, wave 1
  set->names.push_back("jump");
  EXPECT_THAT(inspect(*set, "data.train").warnings,
              testing::ElementsAre("data.train: 1 of 4 classes have no item: jump",
                                   "data.train: 2 of 4 classes have a single item: walk, wave"));
}

TEST(check, targets_must_fit_the_classes) {
  auto set = test::counting_items(3);
  set->items[1].target.label = 3;
  set->items[2].target.values = {1};
  set->names[2] = "run";
  EXPECT_THAT(
      message_of([&] { inspect(*set, "data.train"); }),
      testing::AllOf(
          testing::HasSubstr("data.train: repeated class: expected each name once, got \"run\" twice"),
          testing::HasSubstr(
              "data.train item 1 (item1): the target does not fit the classes: expected a label "
              "below 3 and none or 3 values, got label 3 and 0 values"),
          testing::HasSubstr("data.train item 2 (item2)")));
}

TEST(check, both_class_lists_are_shown_when_they_differ) {
  EXPECT_NO_THROW(check_classes_agree({"a", "b"}, {"a", "b"}));
  const std::string text = message_of([] { check_classes_agree({"run", "walk"}, {"run", "wave", "jump"}); });
  EXPECT_THAT(text, testing::HasSubstr(
                        "the classes of data.train and data.val differ: expected \"walk\" at label 1, got "
                        "\"wave\""));
  EXPECT_THAT(text, testing::HasSubstr("data.train: 2 classes: run, walk"));
  EXPECT_THAT(text, testing::HasSubstr("data.val: 3 classes: run, wave, jump"));
  EXPECT_THAT(message_of([] {
                check_classes_agree({"a"}, {"a", "b"});
              }),
              testing::HasSubstr("expected nothing at label 1, got \"b\""));
}

TEST(check, boxes_must_fit_the_classes_and_be_boxes) {
  test::ListedBoxes set;
  set.add({{0, 0, 1, 1, {0, 1}}});
  EXPECT_TRUE(detects(set));
  EXPECT_FALSE(detects(*test::counting_items(1)));
  EXPECT_EQ(inspect(set, "data.val").items_of_class, (std::vector<std::size_t>{1, 1}));
  set.items[0].target.truth = {{0, 0, 1, 1, {1}}};
  EXPECT_EQ(inspect(set, "data.val").items_of_class, (std::vector<std::size_t>{0, 1}))
      << "what is true counts";
  const auto wrong = [&](const LabelledBox& box) {
    set.items[0].target.truth = {box};
    return message_of([&] { inspect(set, "data.val"); });
  };
  EXPECT_THAT(wrong({0, 0, 1, 1, {2}}),
              testing::HasSubstr(
                  "data.val item 0 (item0): a box of an unknown class: expected labels 0 to 1, got 2"));
  EXPECT_THAT(wrong({0.5, 0, 0.25, 1, {}}),
              testing::HasSubstr("not a box: expected x1 <= x2 and y1 <= y2, got 0.5, 0, 0.25, 1"));
  EXPECT_THAT(wrong({0, 0, std::numeric_limits<double>::quiet_NaN(), 1, {}}),
              testing::HasSubstr("not a box"));
}

}  // namespace
}  // namespace kinema::data
