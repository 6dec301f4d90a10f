#include "framework/data/flip_labels.h"

#include <gmock/gmock.h>

#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

using Labels = std::vector<std::int64_t>;
const std::vector<std::string> kClasses = {"swipe left", "stop", "swipe right", "turn left", "turn right"};

TEST(flip_labels, pairs_change_places_and_others_stay) {
  EXPECT_EQ(mirrored_classes({{"swipe left", "swipe right"}, {"turn right", "turn left"}}, kClasses),
            (Labels{2, 1, 0, 4, 3}));
}

TEST(flip_labels, names_that_are_no_class_are_told_all_at_once_with_what_was_meant) {
  const std::string text = test::error_of([] {
    mirrored_classes({{"swipe lef", "swipe right"}, {"stop", "go"}}, kClasses);
  });
  EXPECT_THAT(text, testing::HasSubstr("clip.train.flip_labels: unknown class: expected one of swipe left, "
                                       "stop, swipe right, turn left, turn right, got \"swipe lef\""));
  EXPECT_THAT(text, testing::HasSubstr("did you mean \"swipe left\"?"));
  EXPECT_THAT(text, testing::HasSubstr("got \"go\""));
}

TEST(flip_labels, change_label_values_and_the_classes_of_boxes) {
  Target target;
  target.label = 2;
  target.values = {0.5, 0, 1, 0, 0.25};
  target.boxes = {{0, 0, 1, 1, {0, 3}}};
  target.truth = {{0, 0, 1, 1, {4, 1}}};
  mirror(target, {2, 1, 0, 4, 3});
  EXPECT_EQ(target.label, 0);
  EXPECT_THAT(target.values, testing::ElementsAre(1, 0, 0.5, 0.25, 0));
  EXPECT_EQ(target.boxes[0].classes, (Labels{2, 4}));
  EXPECT_EQ(target.truth->at(0).classes, (Labels{3, 1}));
}

TEST(flip_labels, leave_a_target_without_a_label_and_all_where_there_are_none) {
  Target target;
  mirror(target, {1, 0});
  EXPECT_EQ(target.label, -1);
  target.label = 1;
  target.values = {0.5, 1};
  mirror(target, {});
  EXPECT_EQ(target.label, 1);
  EXPECT_THAT(target.values, testing::ElementsAre(0.5, 1));
}

}  // namespace
}  // namespace kinema::data
