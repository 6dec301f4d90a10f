#include "framework/eval/box_views.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinema::eval {
namespace {

using testing::ElementsAre;

Target three_boxes() {
  Target target;
  target.boxes = {{0, 0, 0.1, 1, {0}, 1}, {0.4, 0, 0.6, 1, {1}, 1}, {0.9, 0, 1, 1, {0, 1}, 1}};
  return target;
}

TEST(box_views, means_are_over_the_views_that_showed_a_box) {
  BoxViews views;
  const Target target = three_boxes();
  const std::vector<data::BatchBox> left = {{0, 0}, {0, 1}}, middle = {{3, 1}}, none;
  views.add(target, left, std::vector<float>{0.5F, 0.25F, 0.75F, 0.5F});
  views.add(target, middle, std::vector<float>{0.25F, 0.25F});
  views.add(target, none, {});
  std::vector<LabelledBox> boxes;
  std::vector<float> scores;
  views.finish(boxes, scores);
  ASSERT_EQ(boxes.size(), 2u) << "no view showed the third";
  EXPECT_EQ(boxes[1].x1, 0.4);
  EXPECT_THAT(scores, ElementsAre(0.5F, 0.25F, 0.5F, 0.375F));
  EXPECT_EQ(views.truth().size(), 3u) << "which is missed all the same";
}

TEST(box_views, are_put_together_as_scores_of_clips_are) {
  const std::vector<data::BatchBox> one = {{0, 0}};
  for (const auto& [merge, score] :
       {std::pair(config::ViewMerge::max, 0.75F), {config::ViewMerge::sum, 1.0F}}) {
    BoxViews views;
    views.add(three_boxes(), one, std::vector<float>{0.25F}, merge);
    views.add(three_boxes(), one, std::vector<float>{0.75F}, merge);
    std::vector<LabelledBox> boxes;
    std::vector<float> scores;
    views.finish(boxes, scores, merge);
    EXPECT_THAT(scores, ElementsAre(score));
  }
}

TEST(box_views, an_item_without_boxes_has_a_truth) {
  BoxViews views;
  Target target;
  target.truth = three_boxes().boxes;
  views.add(target, {}, {});
  std::vector<LabelledBox> boxes;
  std::vector<float> scores;
  views.finish(boxes, scores);
  EXPECT_TRUE(boxes.empty());
  EXPECT_TRUE(scores.empty());
  EXPECT_EQ(views.truth().size(), 3u);
}

}  // namespace
}  // namespace kinema::eval
