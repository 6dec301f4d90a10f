#include "kinema/clip.h"

#include <gtest/gtest.h>

namespace kinema {
namespace {

ClipPlan plan_of(Size frame, ClipPlan::Box box) {
  ClipPlan plan;
  plan.geometry = Geometry::whole(frame);
  plan.boxes = {box};
  return plan;
}

void expect_box(const ClipPlan& plan, double x1, double y1, double x2, double y2) {
  ASSERT_EQ(plan.boxes.size(), 1u);
  EXPECT_NEAR(plan.boxes[0].x1, x1, 1e-9);
  EXPECT_NEAR(plan.boxes[0].y1, y1, 1e-9);
  EXPECT_NEAR(plan.boxes[0].x2, x2, 1e-9);
  EXPECT_NEAR(plan.boxes[0].y2, y2, 1e-9);
}

TEST(clip_plan, boxes_follow_resizes_crops_and_mirrors) {
  ClipPlan plan = plan_of({320, 240}, {100, 60, 200, 120});
  plan.resize({160, 120});
  expect_box(plan, 50, 30, 100, 60);
  plan.crop(20, 10, {112, 100});
  expect_box(plan, 30, 20, 80, 50);
  plan.mirror();
  expect_box(plan, 32, 20, 82, 50);
  EXPECT_EQ(plan.size(), (Size{112, 100}));
}

TEST(clip_plan, boxes_are_clipped_to_the_picture_and_stay) {
  ClipPlan plan = plan_of({100, 100}, {10, 10, 60, 60});
  plan.crop(40, 40, {50, 50});
  expect_box(plan, 0, 0, 20, 20);
  plan.crop(30, 30, {20, 20});
  expect_box(plan, 0, 0, 0, 0);
}

TEST(clip_plan, a_box_holds_the_same_part_of_the_frame_as_before) {
  ClipPlan plan = plan_of({400, 300}, {120, 90, 180, 150});
  plan.mirror();
  plan.crop(100, 50, {250, 200});
  plan.resize({125, 50});
  const Geometry& g = plan.geometry;
  const auto frame_x = [&](double x) {
    return g.source.x + (g.flip ? g.output.width - x : x) * g.source.width / g.output.width;
  };
  EXPECT_NEAR(frame_x(plan.boxes[0].x2), 120, 1e-9);
  EXPECT_NEAR(frame_x(plan.boxes[0].x1), 180, 1e-9);
  EXPECT_NEAR(g.source.y + plan.boxes[0].y1 * g.source.height / g.output.height, 90, 1e-9);
}

TEST(clip_plan, a_refused_crop_leaves_the_boxes_alone) {
  ClipPlan plan = plan_of({100, 100}, {10, 10, 60, 60});
  EXPECT_ANY_THROW(plan.crop(90, 90, {50, 50}));
  expect_box(plan, 10, 10, 60, 60);
}

TEST(pixel_view, counts_bytes_of_all_frames) {
  EXPECT_EQ((PixelView{nullptr, 16, {112, 100}}.bytes()), 16 * 112 * 100 * 3);
}

}  // namespace
}  // namespace kinema
