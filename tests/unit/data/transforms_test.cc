#include "framework/data/transforms.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "framework/data/clip_source.h"
#include "kinema/error.h"
#include "tests/support/components_under_test.h"
#include "tests/support/golden.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

using test::golden_cases;

ClipPlan plan_of(Size frame) {
  ClipPlan plan;
  plan.frames = {0};
  plan.frame_count = 1;
  plan.geometry = Geometry::whole(frame);
  return plan;
}

Size size_hw(const nlohmann::json& hw) { return {hw[1], hw[0]}; }

template <class T>
ClipPlan planned(const T& transform, ClipPlan plan, std::uint64_t index = 0) {
  Random random(1, 0, index, "transform.0");
  transform.plan(plan, random);
  return plan;
}

// The first frame of the reference's input through a geometry, as the reader delivers it: [height, width, 3].
std::vector<std::uint8_t> pixels_of(Size frame, const Geometry& geometry) {
  Source source;
  source.frames = std::make_shared<test::FormulaFrames>(frame, 2);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(geometry.output.width * geometry.output.height * 3));
  const std::int64_t first[] = {0};
  open_source(source, {})->read(first, geometry, out.data());
  return out;
}

// Largest difference to a float [3, height, width].
double distance(const std::vector<std::uint8_t>& hwc, const nlohmann::json& chw) {
  const std::size_t pixels = hwc.size() / 3;
  double largest = chw.size() == hwc.size() ? 0 : 1e9;
  for (std::size_t i = 0; i < hwc.size() && largest < 1e9; ++i)
    largest = std::max(largest, std::abs(hwc[i] - chw[i % 3 * pixels + i / 3].get<double>()));
  return largest;
}

TEST(transforms, short_side_sizes_and_pixels_follow_the_reference) {
  for (const auto& c : golden_cases("transforms/short_side.json")) {
    const Size frame{c["input_thwc"][2], c["input_thwc"][1]};
    ShortSide transform;
    transform.size = {c["size"]};
    const ClipPlan plan = planned(transform, plan_of(frame));
    EXPECT_EQ(plan.size(), size_hw(c["output_hw"])) << c["size"];
    if (c.contains("output")) {
      EXPECT_LE(distance(pixels_of(frame, plan.geometry), c["output"]), 1.0);
    }
  }
}

TEST(transforms, short_side_draws_every_size_of_its_range) {
  ShortSide transform;
  transform.size = {100, 103};
  std::set<int> sides;
  for (std::uint64_t i = 0; i < 200; ++i)
    sides.insert(planned(transform, plan_of({320, 240}), i).size().height);
  EXPECT_EQ(sides, (std::set<int>{100, 101, 102, 103}));
}

TEST(transforms, uniform_crop_offsets_and_boxes_follow_the_reference) {
  int seen = 0;
  for (const auto& c : golden_cases("transforms/crops.json")) {
    if (c["op"] != "uniform_crop") continue;
    ++seen;
    ClipPlan plan = plan_of(size_hw(c["input_hw"]));
    plan.spatial_views = 3;
    plan.spatial_view = c["view"];
    for (const auto& b : c["boxes"]) plan.boxes.push_back({b[0], b[1], b[2], b[3]});
    UniformCrop transform;
    transform.size = c["size"];
    plan = planned(transform, plan);
    EXPECT_EQ(plan.geometry.source.x, c["offset_xy"][0].get<double>());
    EXPECT_EQ(plan.geometry.source.y, c["offset_xy"][1].get<double>());
    EXPECT_EQ(plan.size(), (Size{c["size"], c["size"]}));
    for (std::size_t b = 0; b < plan.boxes.size(); ++b) {
      const auto& expected = c["output_boxes"][b];
      const auto inside = [&](int k) { return std::clamp<double>(expected[k], 0, c["size"]); };
      EXPECT_NEAR(plan.boxes[b].x1, inside(0), 1e-9);
      EXPECT_NEAR(plan.boxes[b].y1, inside(1), 1e-9);
      EXPECT_NEAR(plan.boxes[b].x2, inside(2), 1e-9);
      EXPECT_NEAR(plan.boxes[b].y2, inside(3), 1e-9);
    }
  }
  EXPECT_EQ(seen, 6);
}

TEST(transforms, center_crop_is_the_middle_view) {
  CenterCrop center;
  center.size = 12;
  UniformCrop uniform;
  uniform.size = 12;
  const ClipPlan a = planned(center, plan_of({31, 21})), b = planned(uniform, plan_of({31, 21}));
  EXPECT_EQ(a.geometry, b.geometry);
  EXPECT_EQ(a.geometry.source, (Rect{10, 5, 12, 12}));
}

TEST(transforms, random_crop_reaches_every_offset) {
  RandomCrop transform;
  transform.size = 12;
  std::map<double, int> x, y;
  for (std::uint64_t i = 0; i < 2000; ++i) {
    const Rect source = planned(transform, plan_of({16, 14}), i).geometry.source;
    ++x[source.x];
    ++y[source.y];
  }
  EXPECT_EQ(x.size(), 5u);  // 0 .. 4
  EXPECT_EQ(y.size(), 3u);  // 0 .. 2
  for (const auto& [offset, count] : x) EXPECT_NEAR(count, 400, 100) << offset;
}

TEST(transforms, a_crop_that_does_not_fit_names_both_sizes) {
  RandomCrop transform;
  transform.size = 40;
  try {
    planned(transform, plan_of({64, 32}));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_THAT(
        error.what(),
        testing::HasSubstr("random_crop: the window does not fit: expected a picture of at least 40x40, got "
                           "64x32"));
  }
}

TEST(transforms, resized_crop_windows_follow_the_reference) {
  for (const auto& c : golden_cases("transforms/random_resized_crop.json")) {
    const Size frame = size_hw(c["input_hw"]);
    const auto& expected = c["window_ijhw"];
    const auto window = resized_crop_window(frame, c["area"], c["log_aspect"]);
    EXPECT_EQ(window.has_value(), c["accepted"].get<bool>()) << c["area"];
    std::array<int, 4> xywh = centred_window(frame, c["aspect"][0], c["aspect"][1]);
    if (window) xywh = {expected[1], expected[0], window->width, window->height};
    EXPECT_EQ(xywh, (std::array<int, 4>{expected[1], expected[0], expected[3], expected[2]}));
    if (!c.contains("output")) continue;
    ClipPlan plan = plan_of(frame);
    plan.crop(xywh[0], xywh[1], {xywh[2], xywh[3]});
    plan.resize(size_hw(c["target_hw"]));
    EXPECT_LE(distance(pixels_of(frame, plan.geometry), c["output"]), 1.0);
  }
}

TEST(transforms, random_resized_crop_stays_inside_and_within_its_bounds) {
  RandomResizedCrop transform;
  transform.size = 16;
  transform.area = {0.2, 0.5};
  for (std::uint64_t i = 0; i < 300; ++i) {
    const ClipPlan plan = planned(transform, plan_of({171, 128}), i);
    const Rect& r = plan.geometry.source;
    EXPECT_EQ(plan.size(), (Size{16, 16}));
    EXPECT_GE(std::min(r.x, r.y), 0);
    EXPECT_LE(r.x + r.width, 171);
    EXPECT_LE(r.y + r.height, 128);
    EXPECT_NEAR(r.width * r.height / (171 * 128), 0.35, 0.17);
  }
}

TEST(transforms, resize_is_exact_and_flip_mirrors_half_of_the_clips) {
  Resize resize;
  resize.size = {128, 171};
  EXPECT_EQ(planned(resize, plan_of({320, 240})).size(), (Size{171, 128}));
  int flipped = 0;
  for (std::uint64_t i = 0; i < 1000; ++i)
    flipped += planned(Flip(), plan_of({8, 8}), i).geometry.flip ? 1 : 0;
  EXPECT_NEAR(flipped, 500, 60);
  Flip never;
  never.probability = 0;
  EXPECT_FALSE(never.mirrors());
  EXPECT_TRUE(Flip().mirrors());
}

TEST(transforms, colour_follows_the_reference_up_to_rounding_and_clamping) {
  const std::map<std::string, void (*)(const PixelView&, double)> change = {
      {"brightness", scale_brightness}, {"contrast", scale_contrast}, {"saturation", scale_saturation}};
  for (const auto& c : golden_cases("transforms/colour.json")) {
    const std::vector<std::int64_t> shape = c["input_thwc"];
    const Size size{static_cast<int>(shape[2]), static_cast<int>(shape[1])};
    const std::size_t frame_bytes = static_cast<std::size_t>(size.width * size.height * 3);
    std::vector<std::uint8_t> bytes(frame_bytes * 2);
    const test::FormulaFrames frames(size, 2);
    for (std::size_t t = 0; t < 2; ++t)
      frames.read(static_cast<std::int64_t>(t), {bytes.data() + t * frame_bytes, frame_bytes});
    // The reference's first channel is blue.
    for (std::size_t i = 0; i < bytes.size(); i += 3) std::swap(bytes[i], bytes[i + 2]);
    change.at(c["op"])({bytes.data(), 2, size}, c["factor"]);
    const std::size_t pixels = frame_bytes / 3;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
      const std::size_t t = i / frame_bytes, pixel = i % frame_bytes / 3, channel = 2 - i % 3;
      const double expected = c["output"][t * frame_bytes + channel * pixels + pixel];
      EXPECT_NEAR(bytes[i], std::clamp(expected, 0.0, 255.0), 0.5 + 1e-3) << c["op"] << " " << i;
    }
  }
}

TEST(transforms, brightness_has_one_factor_a_clip_within_its_bounds) {
  std::set<int> levels;
  for (std::uint64_t i = 0; i < 300; ++i) {
    std::vector<std::uint8_t> bytes(2 * 2 * 2 * 3, 100);
    Random random(1, 0, i, "transform.0");
    Brightness().pixels({bytes.data(), 2, {2, 2}}, random);
    EXPECT_THAT(bytes, testing::Each(bytes[0]));
    levels.insert(bytes[0]);
  }
  EXPECT_GE(*levels.begin(), 60);
  EXPECT_LE(*levels.rbegin(), 140);
  EXPECT_GT(levels.size(), 60u);
}

TEST(transforms, normalise_takes_three_numbers_or_one_for_all) {
  Normalise transform;
  transform.mean = {0.1, 0.2, 0.3};
  transform.std = {0.5};
  const ClipPlan plan = planned(transform, plan_of({8, 8}));
  EXPECT_EQ(plan.mean, (std::array<float, 3>{0.1f, 0.2f, 0.3f}));
  EXPECT_EQ(plan.std, (std::array<float, 3>{0.5f, 0.5f, 0.5f}));
}

TEST(transforms, the_registered_names_take_the_documented_options) {
  test::ComponentsUnderTest components(register_builtin_transforms);
  std::vector<std::string> names;
  for (const ComponentInfo* info : components.all("transform")) {
    names.push_back(info->type);
    EXPECT_NO_THROW(components.make<Transform>(info->type)) << info->type;
  }
  EXPECT_THAT(
      names, testing::UnorderedElementsAre("resize", "short_side", "random_crop", "center_crop",
                                           "uniform_crop", "random_resized_crop", "flip", "brightness",
                                           "contrast", "saturation", "colour_jitter", "greyscale", "lighting",
                                           "random_erasing", "rand_augment", "normalise"));
  const auto crop = components.make<Transform>("center_crop", Value::table({{"size", Value(20)}}));
  EXPECT_EQ(planned(*crop, plan_of({64, 48})).size(), (Size{20, 20}));
}

TEST(transforms, wrong_options_are_refused) {
  test::ComponentsUnderTest components(register_builtin_transforms);
  const auto problems = [&](const char* type, const char* key, Value value) {
    return components.problems("transform", type, Value::table({{key, std::move(value)}}));
  };
  EXPECT_THAT(problems("short_side", "size", Value::Array{Value(320), Value(256)}),
              testing::HasSubstr("[low, high]"));
  EXPECT_THAT(problems("resize", "size", Value::Array{Value(128)}), testing::HasSubstr("size"));
  EXPECT_THAT(problems("flip", "probability", Value(1.5)), testing::HasSubstr("probability"));
  EXPECT_THAT(problems("normalise", "std", Value::Array{Value(0.0)}), testing::HasSubstr("std"));
  EXPECT_THAT(problems("normalise", "mean", Value::Array{Value(0.1), Value(0.2)}),
              testing::HasSubstr("1 or 3 numbers"));
  EXPECT_EQ(problems("short_side", "size", Value::Array{Value(256), Value(320)}), "");
}

}  // namespace
}  // namespace kinema::data
