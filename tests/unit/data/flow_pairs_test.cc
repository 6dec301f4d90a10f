#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "framework/data/clip_source.h"
#include "framework/data/loader.h"
#include "framework/data/photometric.h"
#include "framework/data/transforms.h"
#include "framework/media/grey_picture.h"
#include "kinema/error.h"
#include "tests/unit/data/own_pixels.h"

// Optical flow as a source: pairs of grey pictures beside or instead of the pictures themselves.
namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

// What picture k holds at a place: right grows with x, down with y, both with k.
std::uint8_t right_at(int k, int x, int) { return static_cast<std::uint8_t>(5 * x + k); }
std::uint8_t down_at(int k, int, int y) { return static_cast<std::uint8_t>(255 - 7 * y - k); }

void write_row(const fs::path& folder, const char* before, int count, Size size,
               std::uint8_t (*value)(int, int, int)) {
  fs::create_directories(folder);
  for (int k = 0; k < count; ++k) {
    Bytes grey;
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) grey.push_back(value(k, x, y));
    char name[32];
    std::snprintf(name, sizeof name, "%s_%05d.png", before, k + 1);
    media::write_grey((folder / name).string(), grey.data(), size, media::PictureFormat::png);
  }
}

class flow_pairs : public testing::Test {
 protected:
  void SetUp() override {
    folder = fs::path(testing::TempDir()) /
             (std::string("kinema_flow_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder);
  }
  void TearDown() override { fs::remove_all(folder); }

  Source flow(int count, Size size) {
    write_row(folder, "flow_x", count, size, right_at);
    write_row(folder, "flow_y", count, size, down_at);
    Source source;
    source.modality = "flow";
    source.pattern = folder / "flow_x_%05d.png";
    source.pattern_down = folder / "flow_y_%05d.png";
    return source;
  }
  std::string message(const Source& source) {
    try {
      open_source(source, {});
    } catch (const Error& error) {
      return error.what();
    }
    return "no error";
  }
  fs::path folder;
};

ClipRecipe recipe_of(std::shared_ptr<const Dataset> dataset, TransformList transforms = {}) {
  ClipRecipe recipe;
  recipe.dataset = std::move(dataset);
  recipe.temporal = {4, 2, {}, config::Sampling::random, 1};
  recipe.transforms = std::move(transforms);
  return recipe;
}

// One item: 10 coloured frames of `size`, and the flow.
std::shared_ptr<test::ListedItems> item_with(const Source& flow, Size size) {
  auto set = test::counting_items(1, size);
  set->items[0].sources.push_back(flow);
  return set;
}

Bytes pixels_of(ClipReader& reader, const PlannedClip& clip, std::size_t s) {
  const ClipPlan& plan = clip.sources[s].plan;
  Bytes out(plan.frames.size() * static_cast<std::size_t>(plan.size().width * plan.size().height * 3));
  reader.read(clip, s, out.data());
  return out;
}

TEST_F(flow_pairs, hold_right_and_down_in_the_first_two_channels) {
  const auto open = open_source(flow(3, {20, 10}), {});
  EXPECT_EQ(open->channels(), 2);
  EXPECT_EQ(open->frame_count(), 3);
  EXPECT_EQ(open->size(), (Size{20, 10}));
  Bytes out(2 * 20 * 10 * 3);
  const std::int64_t frames[] = {2, 0};
  open->read(frames, Geometry::whole({20, 10}), out.data());
  for (int i = 0; i < 2 * 20 * 10; ++i) {
    const int k = i < 200 ? 2 : 0, x = i % 20, y = i / 20 % 10;
    EXPECT_EQ(out[3 * i], right_at(k, x, y));
    EXPECT_EQ(out[3 * i + 1], down_at(k, x, y));
    EXPECT_EQ(out[3 * i + 2], 128);
  }
}

TEST_F(flow_pairs, mirrored_move_the_other_way) {
  const auto open = open_source(flow(1, {20, 10}), {});
  Bytes straight(12 * 8 * 3), mirrored(straight.size());
  const std::int64_t frames[] = {0};
  Geometry geometry = Geometry::whole({20, 10});
  geometry.crop(3, 1, {14, 9});
  geometry.resize({12, 8});
  open->read(frames, geometry, straight.data());
  geometry.mirror();
  open->read(frames, geometry, mirrored.data());
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 12; ++x) {
      const std::uint8_t* here = mirrored.data() + 3 * (y * 12 + x);
      const std::uint8_t* there = straight.data() + 3 * (y * 12 + 11 - x);
      EXPECT_NEAR(here[0], 255 - there[0], 1);  // a tie of the interpolation may round the other way
      EXPECT_NEAR(here[1], there[1], 1);
    }
  // Without interpolation nothing is rounded: byte / 127.5 - 1 is exactly the negative value.
  Bytes whole(20 * 10 * 3);
  Geometry flipped = Geometry::whole({20, 10});
  flipped.mirror();
  open->read(frames, flipped, whole.data());
  for (int x = 0; x < 20; ++x) EXPECT_EQ(whole[3 * x], 255 - right_at(0, 19 - x, 0));
}

TEST_F(flow_pairs, show_the_frames_that_the_pictures_show_and_none_that_they_lack) {
  auto set = item_with(flow(9, {32, 24}), {32, 24});
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set)));
  std::int64_t first = 9, last = 0;
  for (std::uint64_t epoch = 0; epoch < 60; ++epoch) {
    const PlannedClip clip = reader.plan({0, epoch, 0, 0}, 0);
    EXPECT_EQ(clip.sources[0].plan.frames, clip.sources[1].plan.frames);
    first = std::min(first, clip.sources[0].plan.frames.front());
    last = std::max(last, clip.sources[0].plan.frames.back());
  }
  EXPECT_EQ(first, 0);
  EXPECT_EQ(last, 8) << "ten frames, nine flows";
}

TEST_F(flow_pairs, have_the_rate_of_their_video_whatever_the_data_set_says) {
  Source source = flow(9, {32, 24});
  source.pattern_fps = 12.5;
  auto set = item_with(source, {32, 24});
  ClipRecipe recipe = recipe_of(set);
  recipe.temporal.fps = 12.5;  // every second frame of a video of 25 a second
  recipe.temporal.stride = 1;
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
  const PlannedClip clip = reader.plan({0, 0, 0, 0}, 0);
  const std::vector<std::int64_t>& frames = clip.sources[1].plan.frames;
  EXPECT_EQ(frames, clip.sources[0].plan.frames);
  EXPECT_EQ(frames[1] - frames[0], 2);
}

TEST_F(flow_pairs, show_the_same_window_of_the_scene_where_their_size_differs) {
  auto jitter = std::make_shared<ShortSide>();
  jitter->size = {20, 40};
  auto window = std::make_shared<RandomResizedCrop>();
  window->size = 16;
  auto flip = std::make_shared<Flip>();
  auto set = item_with(flow(10, {34, 25}), {64, 48});
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set, {jitter, window, flip})));
  bool flipped = false;
  for (std::uint64_t epoch = 0; epoch < 20; ++epoch) {
    const PlannedClip clip = reader.plan({0, epoch, 0, 0}, 0);
    const Geometry& rgb = clip.sources[0].plan.geometry;
    const Geometry& flow = clip.sources[1].plan.geometry;
    EXPECT_EQ(rgb.output, flow.output);
    EXPECT_EQ(rgb.flip, flow.flip);
    EXPECT_NEAR(rgb.source.x / 64, flow.source.x / 34, 1e-12);
    EXPECT_NEAR(rgb.source.y / 48, flow.source.y / 25, 1e-12);
    EXPECT_NEAR(rgb.source.width / 64, flow.source.width / 34, 1e-12);
    EXPECT_NEAR(rgb.source.height / 48, flow.source.height / 25, 1e-12);
    flipped = flipped || flow.flip;
    EXPECT_EQ(pixels_of(reader, clip, 1).size(), 4u * 16 * 16 * 3);
  }
  EXPECT_TRUE(flipped);
}

TEST_F(flow_pairs, go_without_the_pixel_steps_that_pictures_take) {
  auto erase = std::make_shared<RandomErasing>();
  erase->probability = 1;
  auto bright = std::make_shared<Brightness>();
  auto set = item_with(flow(10, {32, 24}), {32, 24});
  ClipReader plain(std::make_shared<const ClipRecipe>(recipe_of(set)));
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set, {erase, bright})));
  const PlannedClip clip = reader.plan({0, 0, 0, 0}, 0);
  EXPECT_NE(pixels_of(reader, clip, 0), pixels_of(plain, clip, 0));
  EXPECT_EQ(pixels_of(reader, clip, 1), pixels_of(plain, clip, 1));
}

TEST_F(flow_pairs, half_of_a_pair_is_refused) {
  Source source = flow(3, {20, 10});
  fs::remove(folder / "flow_y_00003.png");
  EXPECT_THAT(message(source),
              testing::HasSubstr("flow_y_%05d.png: half a flow: expected 3 pictures of 20x10 "
                                 "as in flow_x_%05d.png, got 2 of 20x10"));
  write_row(folder, "flow_y", 3, {18, 10}, down_at);
  EXPECT_THAT(message(source), testing::HasSubstr("expected 3 pictures of 20x10"));
  source.pattern.clear();
  EXPECT_THAT(message(source), testing::HasSubstr("expected one of video, pattern and frames, got 0"));
}

TEST_F(flow_pairs, folders_may_be_called_like_a_pattern) {
  const fs::path base = folder;
  for (const char* name : {"100%", "50%d", "%s%n%s%n", "%%", "a%05db"}) {
    folder = base / name;
    const auto open = open_source(flow(2, {8, 8}), {});
    EXPECT_EQ(open->frame_count(), 2) << name;
  }
  folder = base / "100%";
  write_row(folder, "50%", 2, {8, 8}, right_at);
  Source source;
  source.pattern = folder / "50%%_%05d.png";
  EXPECT_EQ(open_source(source, {})->frame_count(), 2);
  for (const char* bad :
       {"img_%s.png", "img_%05d_%d.png", "img_%", "img_%5", "img_%%05d.png", "img_%n%d.png"}) {
    source.pattern = folder / bad;
    EXPECT_THAT(message(source), testing::HasSubstr("not a pattern of numbered pictures")) << bad;
  }
  folder = base;
}

TEST_F(flow_pairs, make_a_batch_of_two_channels_with_numbers_of_their_own) {
  auto normalise = std::make_shared<Normalise>();
  auto set = item_with(flow(9, {32, 24}), {32, 24});
  const auto batch_of = [&] {
    ClipRecipe recipe = recipe_of(set, {normalise});
    recipe.flow_std = {0.25, 0.125, 1};
    LoaderSetup setup;
    setup.recipe = std::make_shared<const ClipRecipe>(recipe);
    setup.schedule = std::make_shared<EvalSchedule>(EvalScheduleOptions{.items = 1, .batch = 1});
    Loader loader(setup);
    loader.start(0);
    return loader.next();
  };
  const auto both = batch_of();
  EXPECT_EQ(both->channels, 3);
  EXPECT_EQ(both->mean[0], 0.45F);
  ASSERT_EQ(both->extra.size(), 1u);
  EXPECT_EQ(both->extra[0].modality, "flow");
  EXPECT_EQ(both->extra[0].channels, 2);
  EXPECT_EQ(both->extra[0].mean[1], 0.5F);
  EXPECT_EQ(both->extra[0].std[1], 0.125F);
  set->items[0].sources.erase(set->items[0].sources.begin());
  const auto alone = batch_of();
  EXPECT_EQ(alone->modality, "flow");
  EXPECT_EQ(alone->channels, 2);
  EXPECT_EQ(alone->std[0], 0.25F);
}

TEST_F(flow_pairs, an_evaluation_without_any_readable_flow_still_says_what_its_clips_would_have_been) {
  auto set = test::counting_items(1);
  Source gone;
  gone.modality = "flow";
  gone.pattern = folder / "flow_x_%05d.png";
  gone.pattern_down = folder / "flow_y_%05d.png";
  set->items[0].sources = {gone};
  ClipRecipe recipe = recipe_of(set);
  recipe.training = false;
  LoaderSetup setup;
  setup.recipe = std::make_shared<const ClipRecipe>(recipe);
  setup.schedule = std::make_shared<EvalSchedule>(EvalScheduleOptions{.items = 1, .batch = 1});
  Loader loader(setup);
  loader.start(0);
  const auto batch = loader.next();
  EXPECT_FALSE(batch->infos[0].valid);
  EXPECT_EQ(batch->modality, "flow");
  EXPECT_EQ(batch->channels, 2);
}

}  // namespace
}  // namespace kinema::data
