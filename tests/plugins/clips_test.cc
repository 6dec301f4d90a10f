#include "annotations/clips.h"

#include <gmock/gmock.h>

#include <stdexcept>
#include <string>

namespace kinema::annotations {
namespace {

Clip full_clip() {
  Clip clip{.path = "a/b c.avi",
            .pictures = "img_%05d.jpg",
            .first_number = 7,
            .first_given = true,
            .fps = 12.5,
            .label = 3,
            .labels = {1, 4},
            .weight = 0.5f,
            .key = "b:7",
            .flow = "flow/b",
            .flow_first_number = 8};
  clip.timed = {{4, {Span::Unit::seconds, 1.5, 2}}};
  clip.boxes = {{0.1, 0.2, 0.3, 0.4, {2, 5}, 0.9}, {0, 0, 1, 1, {}, 1}};
  clip.span = {Span::Unit::frames, 10, 20};
  return clip;
}

void expect_equal(const Clip& a, const Clip& b) {
  EXPECT_EQ(a.path, b.path);
  EXPECT_EQ(a.pictures, b.pictures);
  EXPECT_EQ(a.first_number, b.first_number);
  EXPECT_EQ(a.first_given, b.first_given);
  EXPECT_EQ(a.fps, b.fps);
  EXPECT_EQ(a.label, b.label);
  EXPECT_EQ(a.labels, b.labels);
  ASSERT_EQ(a.timed.size(), b.timed.size());
  for (std::size_t i = 0; i < a.timed.size(); ++i) {
    EXPECT_EQ(a.timed[i].label, b.timed[i].label);
    EXPECT_EQ(a.timed[i].span.begin, b.timed[i].span.begin);
  }
  ASSERT_EQ(a.boxes.size(), b.boxes.size());
  for (std::size_t i = 0; i < a.boxes.size(); ++i) {
    EXPECT_EQ(a.boxes[i].x1, b.boxes[i].x1);
    EXPECT_EQ(a.boxes[i].y2, b.boxes[i].y2);
    EXPECT_EQ(a.boxes[i].classes, b.boxes[i].classes);
    EXPECT_EQ(a.boxes[i].score, b.boxes[i].score);
  }
  EXPECT_EQ(a.span.unit, b.span.unit);
  EXPECT_EQ(a.span.begin, b.span.begin);
  EXPECT_EQ(a.span.end, b.span.end);
  EXPECT_EQ(a.weight, b.weight);
  EXPECT_EQ(a.key, b.key);
  EXPECT_EQ(a.flow, b.flow);
  EXPECT_EQ(a.flow_first_number, b.flow_first_number);
}

TEST(clips, every_part_of_a_clip_comes_back) {
  Clips clips;
  Clip span_alone;
  span_alone.span = {Span::Unit::centre, 3, 0};
  const std::vector<Clip> all = {{},
                                 full_clip(),
                                 {.path = "v.mp4", .label = 0},
                                 span_alone,
                                 {.path = std::string(1000000, 'x'), .key = std::string(300000, 'y')},
                                 full_clip()};
  for (const Clip& clip : all) clips.push_back(clip);
  ASSERT_EQ(clips.size(), all.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    expect_equal(clips.at(i), all[i]);
    EXPECT_EQ(clips.path(i), all[i].path);
    EXPECT_EQ(clips.label(i), all[i].label);
  }
  EXPECT_THROW(clips.at(all.size()), std::out_of_range);
}

TEST(clips, some_can_be_changed_and_kept) {
  Clips clips;
  for (int i = 0; i < 50000; ++i) clips.push_back({.path = "clip" + std::to_string(i), .label = i});
  clips.set_label(4, -1);
  clips.change([](std::size_t i, Clip& clip) {
    if (i == 6) clip = full_clip();
  });
  std::size_t asked = 0;
  clips.keep_if([&](std::size_t i) {
    EXPECT_EQ(i, asked++);
    return i % 2 == 0;
  });
  ASSERT_EQ(clips.size(), 25000u);
  EXPECT_EQ(clips.label(2), -1);
  EXPECT_EQ(clips.path(2), "clip4");
  expect_equal(clips.at(3), full_clip());
  EXPECT_EQ(clips.at(24999).path, "clip49998");
}

}  // namespace
}  // namespace kinema::annotations
