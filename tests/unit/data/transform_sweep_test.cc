// Every built-in transform and the default lists over frames that nobody films: whatever the size, there is
// the promised picture or an error that says why not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "framework/data/clip_source.h"
#include "framework/data/transforms.h"
#include "kinema/error.h"
#include "tests/support/components_under_test.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

constexpr Size kSizes[] = {{1, 1},  {1, 7},    {9, 1},    {2, 2},    {3, 5},     {5, 3},
                           {16, 9}, {17, 113}, {113, 17}, {127, 65}, {641, 359}, {359, 641}};

constexpr double kRounding = 1e-9;

struct Made {
  std::string error;  // why there is no clip
  Size size;
  std::vector<std::uint8_t> pixels;
  std::vector<ClipPlan::Box> boxes;
  bool operator==(const Made& other) const {
    return error == other.error && size == other.size && pixels == other.pixels;
  }
};

std::shared_ptr<test::ListedItems> one_item(Size size, std::int64_t frames) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  set->add(std::make_shared<test::FormulaFrames>(size, frames), 0);
  set->items[0].target.boxes = {{0, 0, 1, 1, {0}}, {0.2, 0.3, 0.4, 0.9, {0}}};
  return set;
}

ClipRecipe recipe_of(Size size, std::int64_t frames, bool training, TransformList transforms) {
  ClipRecipe recipe;
  recipe.dataset = one_item(size, frames);
  recipe.temporal = {2, 3, {}, training ? config::Sampling::random : config::Sampling::uniform, 1};
  recipe.transforms = std::move(transforms);
  recipe.training = training;
  return recipe;
}

Made make(const ClipRecipe& recipe, const ClipRequest& request) {
  Made made;
  try {
    ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
    const PlannedClip clip = reader.plan(request, 0);
    const ClipPlan& plan = clip.sources[0].plan;
    made.size = plan.size();
    made.boxes = plan.boxes;
    made.pixels.resize(plan.frames.size() * static_cast<std::size_t>(made.size.width) *
                       static_cast<std::size_t>(made.size.height) * 3);
    reader.read(clip, 0, made.pixels.data());
  } catch (const Error& error) {
    made.error = error.what();
  }
  return made;
}

// One message has a place, says what was expected and what was found.
void expect_clear(const std::string& error, const std::string& which) {
  EXPECT_THAT(error, testing::HasSubstr(": expected ")) << which;
  EXPECT_THAT(error, testing::HasSubstr(", got ")) << which;
}

// Counts the clips that came out.
int sweep(const std::string& name, const TransformList& transforms, bool training, std::int64_t views,
          const std::function<bool(Size frame, Size got)>& promised) {
  int clips = 0;
  for (const Size size : kSizes)
    for (const std::int64_t frames : {1, 5})
      for (std::int64_t round = 0; round < (training ? 3 : views); ++round) {
        ClipRecipe recipe = recipe_of(size, frames, training, transforms);
        recipe.spatial_views = training ? 1 : views;
        const ClipRequest request{0, static_cast<std::uint64_t>(round), 0, training ? 0 : round};
        const Made made = make(recipe, request);
        const std::string which = name + " over " + std::to_string(frames) + " frames of " +
                                  std::to_string(size.width) + "x" + std::to_string(size.height);
        EXPECT_EQ(made, make(recipe, request)) << which << " is not repeatable";
        if (!made.error.empty()) {
          expect_clear(made.error, which);
          continue;
        }
        ++clips;
        EXPECT_TRUE(promised(size, made.size)) << which << ": " << made.size.width << "x" << made.size.height;
        EXPECT_EQ(made.boxes.size(), 2u) << which;
        for (const ClipPlan::Box& box : made.boxes) {
          EXPECT_TRUE(box.x1 >= 0 && box.x1 <= box.x2 && box.x2 <= made.size.width + kRounding) << which;
          EXPECT_TRUE(box.y1 >= 0 && box.y1 <= box.y2 && box.y2 <= made.size.height + kRounding) << which;
        }
      }
  return clips;
}

TEST(transform_sweep, every_transform_keeps_its_promise_or_says_why_not) {
  test::ComponentsUnderTest host(register_builtin_transforms);
  const auto infos = host.all("transform");
  ASSERT_GE(infos.size(), 15u);
  constexpr int kCrop = 5;
  for (const auto* info : infos) {
    const bool has_size = info->type.ends_with("crop");
    Value options = Value::table();
    if (has_size) options.set("size", Value(kCrop));
    if (info->type == "short_side") options.set("size", Value(Value::Array{Value(31)}));
    for (const char* sure : {"greyscale", "random_erasing", "flip"})
      if (info->type == sure) options.set("probability", Value(1.0));
    const TransformList list = {host.make<Transform>(info->type, options)};
    for (const bool training : {true, false}) {
      const auto promised = [&](Size frame, Size got) {
        if (has_size) return got == Size{kCrop, kCrop};
        if (info->type == "resize") return got == Size{171, 128};
        if (info->type == "short_side") return std::min(got.width, got.height) == 31;
        return got == frame;
      };
      EXPECT_GT(sweep(info->type, list, training, 1, promised), 0) << info->type << " never gave a clip";
    }
  }
}

TEST(transform_sweep, the_default_lists_give_the_crop_for_frames_of_any_size) {
  std::vector<config::ClipOptions> all(4);
  all[0].crop = 32;
  all[1].crop = 24;
  all[1].resize = {29, 43};
  all[2].crop = 16;
  all[2].short_side = {16, 40};
  all[3].crop = 1;
  for (config::ClipOptions& clip : all)
    for (const bool training : {true, false})
      for (const std::int64_t crops : {1, 3}) {
        clip.spatial_crops = crops;
        const int side = static_cast<int>(clip.crop);
        const int clips = sweep("the default list", default_transforms(clip, training), training, crops,
                                [&](Size, Size got) {
                                  return got == Size{side, side};
                                });
        EXPECT_EQ(clips,
                  static_cast<int>(std::size(kSizes) * 2 * static_cast<std::size_t>(training ? 3 : crops)));
      }
}

TEST(transform_sweep, all_pixel_transforms_after_one_another_stay_within_the_clip) {
  test::ComponentsUnderTest host(register_builtin_transforms);
  TransformList list;
  for (const auto* info : host.all("transform"))
    if (!info->type.ends_with("crop") && info->type != "resize" && info->type != "short_side")
      list.push_back(host.make<Transform>(info->type));
  const int clips = sweep("all of them", list, true, 1, [](Size frame, Size got) { return frame == got; });
  EXPECT_EQ(clips, static_cast<int>(std::size(kSizes)) * 2 * 3);
}

}  // namespace
}  // namespace kinema::data
