#include "framework/data/transform_list.h"

#include <gmock/gmock.h>

#include "framework/data/transforms.h"
#include "kinema/error.h"
#include "tests/support/components_under_test.h"

namespace kinema::data {
namespace {

ClipPlan run(const TransformList& list, Size frame, std::uint64_t index = 0, int spatial_view = 0,
             int spatial_views = 1) {
  ClipPlan plan;
  plan.geometry = Geometry::whole(frame);
  plan.spatial_view = spatial_view;
  plan.spatial_views = spatial_views;
  for (std::size_t t = 0; t < list.size(); ++t) {
    Random random(1, 0, index, "transform." + std::to_string(t));
    list[t]->plan(plan, random);
  }
  return plan;
}

TEST(transform_list, training_resizes_crops_flips_and_normalises) {
  config::ClipOptions clip;
  clip.short_side = {128, 160};
  clip.crop = 112;
  const TransformList list = default_transforms(clip, true);
  ASSERT_EQ(list.size(), 4u);
  EXPECT_NE(dynamic_cast<const ShortSide*>(list[0].get()), nullptr);
  EXPECT_NE(dynamic_cast<const RandomCrop*>(list[1].get()), nullptr);
  EXPECT_NE(dynamic_cast<const Flip*>(list[2].get()), nullptr);
  const ClipPlan plan = run(list, {320, 240});
  EXPECT_EQ(plan.size(), (Size{112, 112}));
  EXPECT_FLOAT_EQ(plan.mean[0], 0.45f);
  EXPECT_FLOAT_EQ(plan.std[2], 0.225f);
  clip.flip = false;
  EXPECT_EQ(default_transforms(clip, true).size(), 3u);
}

TEST(transform_list, evaluation_is_the_same_for_every_sample) {
  config::ClipOptions clip;
  clip.short_side = {128, 160};
  clip.crop = 112;
  const TransformList list = default_transforms(clip, false);
  const ClipPlan plan = run(list, {320, 240});
  EXPECT_EQ(plan.geometry, run(list, {320, 240}, 17).geometry);
  EXPECT_FALSE(plan.geometry.flip);
  // Short side 128 of 240: the window of 112 is 210 pixels of the frame.
  EXPECT_NEAR(plan.geometry.source.height, 210, 1e-6);
}

TEST(transform_list, three_spatial_crops_cover_the_long_side) {
  config::ClipOptions clip;
  clip.resize = {112, 150};
  clip.crop = 112;
  clip.spatial_crops = 3;
  const TransformList list = default_transforms(clip, false);
  std::vector<double> lefts;
  for (int view = 0; view < 3; ++view) lefts.push_back(run(list, {150, 112}, 0, view, 3).geometry.source.x);
  EXPECT_EQ(lefts, (std::vector<double>{0, 19, 38}));
}

TEST(transform_list, without_a_resize_the_short_side_is_eight_sevenths_of_the_crop) {
  config::ClipOptions clip;
  clip.crop = 112;
  EXPECT_NEAR(run(default_transforms(clip, false), {320, 240}).geometry.source.height, 240 * 112.0 / 128,
              1e-6);
}

TEST(transform_list, a_crop_larger_than_the_resized_picture_is_a_usage_error) {
  config::ClipOptions clip;
  clip.resize = {100, 171};
  clip.crop = 112;
  try {
    default_transforms(clip, true);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_THAT(error.what(),
                testing::HasSubstr("clip.crop: the crop is larger than the resized picture: expected at "
                                   "most 100, got 112"));
  }
}

TEST(transform_list, a_listed_list_replaces_the_default_and_keeps_the_normalisation) {
  test::ComponentsUnderTest components(register_builtin_transforms);
  const MakeTransform make = [&](const Component<Transform>& c) {
    return components.make<Transform>(c.type, c.options);
  };
  config::ClipOptions clip;
  clip.mean = {0.1, 0.1, 0.1};
  std::vector<Component<Transform>> listed(1);
  listed[0].type = "center_crop";
  listed[0].options.set("size", Value(24));
  const ClipPlan plan = run(build_transforms(clip, true, listed, make), {64, 48});
  EXPECT_EQ(plan.size(), (Size{24, 24}));
  EXPECT_FLOAT_EQ(plan.mean[0], 0.1f);
  listed.push_back({"normalise", Value::table({{"mean", Value(Value::Array{Value(0.7)})}})});
  const TransformList own = build_transforms(clip, true, listed, make);
  EXPECT_EQ(own.size(), 2u);
  EXPECT_FLOAT_EQ(run(own, {64, 48}).mean[0], 0.7f);
}

TEST(transform_list, mirroring_warns_about_directional_class_names) {
  config::ClipOptions clip;
  const TransformList mirrored = default_transforms(clip, true), plain = default_transforms(clip, false);
  const std::vector<std::string> classes = {"Swiping Left", "swiping_right", "PushUps", "turnClockwise",
                                            "brightness"};
  EXPECT_EQ(
      directional_warning(mirrored, classes),
      "clips are mirrored, but 3 of 5 class names look directional (\"Swiping Left\", \"swiping_right\", "
      "\"turnClockwise\"): say in clip.train.flip_labels which class each becomes in a mirror, or set "
      "clip.train.flip = false, unless left and right are the same to you");
  EXPECT_THAT(directional_warning(mirrored, classes, {1, 0, 2, 3, 4}),
              testing::HasSubstr("1 of 5 class names look directional (\"turnClockwise\")"));
  EXPECT_EQ(directional_warning(mirrored, {"left", "right"}, {1, 0}), "");
  EXPECT_EQ(directional_warning(plain, classes), "");
  EXPECT_EQ(directional_warning(mirrored, {"walk", "run", "copyright"}), "");
}

}  // namespace
}  // namespace kinema::data
