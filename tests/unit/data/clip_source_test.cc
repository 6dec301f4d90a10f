#include "framework/data/clip_source.h"

#include <gmock/gmock.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

#include "framework/data/transforms.h"
#include "kinema/error.h"
#include "tests/support/clips.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

std::string temporary(const std::string& name) {
  return (std::filesystem::path(testing::TempDir()) / ("kinema_data_" + name)).string();
}

ClipRecipe recipe_of(std::shared_ptr<const Dataset> dataset, TransformList transforms = {}) {
  ClipRecipe recipe;
  recipe.dataset = std::move(dataset);
  recipe.temporal = {4, 2, {}, config::Sampling::uniform, 1};
  recipe.transforms = std::move(transforms);
  recipe.training = false;
  return recipe;
}

std::vector<std::uint8_t> pixels_of(ClipReader& reader, const PlannedClip& clip) {
  const ClipPlan& plan = clip.sources[0].plan;
  std::vector<std::uint8_t> out(plan.frames.size() *
                                static_cast<std::size_t>(plan.size().width * plan.size().height * 3));
  reader.read(clip, 0, out.data());
  return out;
}

TEST(clip_source, delivers_the_frames_of_a_video_that_were_planned) {
  const std::string path = temporary("numbered.mp4");
  test::ClipSpec spec;
  spec.frames = 40;
  spec.writer.b_frames = 2;
  test::make_clip(path, spec);
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  set->add_video(path, 0);
  ClipRecipe recipe = recipe_of(set);
  recipe.temporal.views = 3;
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
  for (std::int64_t view = 0; view < 3; ++view) {
    const PlannedClip clip = reader.plan({0, 0, view, 0}, 0);
    EXPECT_EQ(clip.sources[0].frame_count, 40);
    const auto pixels = pixels_of(reader, clip);
    for (std::size_t k = 0; k < 4; ++k)
      EXPECT_EQ(test::frame_number_of(pixels.data() + k * 64 * 48 * 3, {64, 48}),
                clip.sources[0].plan.frames[k]);
  }
}

TEST(clip_source, keeps_a_bounded_number_of_files_open_and_still_reads_all) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  for (int i = 0; i < 11; ++i) {
    const std::string path = temporary("many" + std::to_string(i) + ".mp4");
    test::ClipSpec spec;
    spec.frames = 8;
    spec.first_number = 100 * i;
    test::make_clip(path, spec);
    set->add_video(path, 0);
  }
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set)), 2);
  for (int round = 0; round < 2; ++round) {
    for (std::size_t i = 0; i < 11; ++i) {
      const auto pixels = pixels_of(reader, reader.plan({i, 0, 0, 0}, i));
      EXPECT_EQ(test::frame_number_of(pixels.data(), {64, 48}), 100 * static_cast<int>(i));
    }
  }
}

TEST(clip_source, decoded_stage_shows_whole_frames_and_final_stage_the_transformed_ones) {
  auto set = test::counting_items(2);
  auto crop = std::make_shared<CenterCrop>();
  crop->size = 8;
  ClipReader reader(
      std::make_shared<const ClipRecipe>(recipe_of(set, {crop, std::make_shared<Brightness>()})));
  const PlannedClip clip = reader.plan({1, 0, 0, 0}, 1);
  EXPECT_EQ(clip.sources[0].plan.frames, (std::vector<std::int64_t>{1, 3, 5, 7}));
  std::vector<std::uint8_t> whole(4 * 32 * 24 * 3), final_pixels = pixels_of(reader, clip);
  reader.read_whole(clip, 0, whole.data());
  EXPECT_EQ(whole[0], 11);
  EXPECT_EQ(whole.back(), 17);
  EXPECT_EQ(final_pixels.size(), 4u * 8 * 8 * 3);
}

TEST(clip_source, augmentation_depends_on_seed_epoch_and_item_alone) {
  auto set = test::counting_items(3);
  auto crop = std::make_shared<RandomCrop>();
  crop->size = 5;
  ClipRecipe recipe = recipe_of(set, {crop});
  recipe.training = true;
  recipe.temporal.sampling = config::Sampling::random;
  const auto plan = [&](std::uint64_t seed, std::uint64_t epoch, std::size_t item) {
    recipe.seed = seed;
    ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
    const PlannedClip clip = reader.plan({item, epoch, 0, 0}, item);
    return std::pair(clip.sources[0].plan.geometry.source, clip.sources[0].plan.frames);
  };
  EXPECT_EQ(plan(1, 0, 0), plan(1, 0, 0));
  EXPECT_NE(plan(1, 0, 0), plan(2, 0, 0));
  EXPECT_NE(plan(1, 0, 0), plan(1, 1, 0));
  EXPECT_NE(plan(1, 0, 0), plan(1, 0, 1));
  recipe.training = false;  // evaluation looks at the same clips after every epoch
  EXPECT_EQ(plan(1, 0, 0), plan(1, 5, 0));
}

TEST(clip_source, boxes_follow_the_geometry) {
  auto set = test::counting_items(1);
  set->items[0].target.boxes = {{0.25, 0.25, 0.75, 0.75, {1}, 0.9}};
  auto resize = std::make_shared<Resize>();
  resize->size = {48, 64};
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set, {resize})));
  const auto boxes = reader.plan({0, 0, 0, 0}, 0).sources[0].plan.boxes;
  ASSERT_EQ(boxes.size(), 1u);
  EXPECT_DOUBLE_EQ(boxes[0].x1, 16);
  EXPECT_DOUBLE_EQ(boxes[0].y2, 36);
}

TEST(clip_source, both_modalities_of_an_item_get_the_same_window) {
  auto set = test::counting_items(1);
  Source flow;
  flow.modality = "flow";
  flow.frames = std::make_shared<test::CountingFrames>(9, Size{32, 24}, 10);
  set->items[0].sources.push_back(flow);
  auto crop = std::make_shared<RandomCrop>();
  crop->size = 5;
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set, {crop})));
  const PlannedClip clip = reader.plan({0, 3, 0, 0}, 0);
  EXPECT_EQ(clip.sources[0].plan.geometry, clip.sources[1].plan.geometry);
}

TEST(clip_source, spans_and_centres_are_respected) {
  auto set = test::counting_items(2);
  set->items[0].span = {Span::Unit::frames, 3, 7};
  set->items[1].span = {Span::Unit::centre, 0, 0};
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set)));
  EXPECT_EQ(reader.plan({0, 0, 0, 0}, 0).sources[0].plan.frames, (std::vector<std::int64_t>{3, 5, 6, 6}));
  EXPECT_EQ(reader.plan({1, 0, 0, 0}, 1).sources[0].plan.frames, (std::vector<std::int64_t>{0, 0, 0, 2}));
}

TEST(clip_source, a_training_clip_learns_the_classes_that_its_frames_show) {
  auto set = test::counting_items(1);
  Target& target = set->items[0].target;
  target.label = -1;
  target.values = {1, 1, 1};
  target.timed = {{0, {Span::Unit::frames, 0, 3}},
                  {1, {Span::Unit::seconds, 0.16, 0.2}},
                  {2, {Span::Unit::frames, 7, 10}}};
  ClipRecipe recipe = recipe_of(set);
  recipe.temporal.frames = 3;
  const auto values = [&] {
    ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
    return reader.plan({0, 0, 0, 0}, 0).item.target.values;
  };
  EXPECT_EQ(values(), (std::vector<float>{1, 1, 1})) << "an evaluation is measured by all of the item";
  recipe.training = true;
  EXPECT_EQ(values(), (std::vector<float>{1, 1, 0})) << "frames 2, 4 and 6";
}

Source numbered_pictures(const std::string& folder, int count, int first) {
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  for (int i = 0; i < count; ++i) {
    char name[32];
    std::snprintf(name, sizeof name, "/img_%05d.png", first + i);
    media::write_png(folder + name, test::numbered_frame(i, {64, 48}).data(), {64, 48});
  }
  Source source;
  source.pattern = folder + "/img_%05d.png";
  source.first_number = first;
  return source;
}

TEST(clip_source, numbered_pictures_are_a_video) {
  const Source source = numbered_pictures(temporary("pictures"), 7, 3);
  const auto open = open_source(source, {});
  EXPECT_EQ(open->frame_count(), 7);
  EXPECT_EQ(open->size(), (Size{64, 48}));
  EXPECT_EQ(open->fps(), 25);
  const std::int64_t frames[] = {6, 0, 3};
  std::vector<std::uint8_t> out(3 * 64 * 48 * 3);
  open->read(frames, Geometry::whole({64, 48}), out.data());
  for (std::size_t k = 0; k < 3; ++k)
    EXPECT_EQ(test::frame_number_of(out.data() + k * 64 * 48 * 3, {64, 48}), frames[k]);
}

TEST(clip_source, pictures_that_cannot_be_read_or_change_their_size_are_errors) {
  const std::string folder = temporary("bad_pictures");
  const Source source = numbered_pictures(folder, 3, 1);
  media::write_png(folder + "/img_00002.png", test::numbered_frame(1, {32, 48}).data(), {32, 48});
  std::ofstream(folder + "/img_00003.png") << "#EXTM3U\n";
  const auto message = [&](std::int64_t frame) {
    std::vector<std::uint8_t> out(64 * 48 * 3);
    try {
      const std::int64_t only[] = {frame};
      open_source(source, {})->read(only, Geometry::whole({64, 48}), out.data());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_EQ(message(0), "no error");
  EXPECT_THAT(message(1), testing::HasSubstr("img_00002.png: the size changes: expected 64x48, got 32x48"));
  EXPECT_THAT(message(2), testing::HasSubstr("img_00003.png: not a picture: expected a JPEG or PNG file"));
}

std::string message_of(const Item& item) {
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  set->items = {item};
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(set)));
  try {
    reader.plan({0, 0, 0, 0}, 0);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(clip_source, says_what_is_wrong_with_a_source) {
  Item item;
  item.key = "k";
  EXPECT_THAT(message_of(item),
              testing::HasSubstr("item 0 (k) has no source: expected at least one, got none"));
  item.sources.resize(1);
  EXPECT_THAT(message_of(item), testing::HasSubstr("expected one of video, pattern and frames, got 0"));
  item.sources[0].pattern = "frames/img.jpg";
  EXPECT_THAT(
      message_of(item),
      testing::HasSubstr("not a pattern of numbered pictures: expected one %d or %05d in it, got \""));
  item.sources[0].pattern = "nowhere/img_%05d.jpg";
  EXPECT_THAT(message_of(item),
              testing::HasSubstr("no pictures: expected a file nowhere/img_00001.jpg, got none"));
  item.sources[0] = {};
  item.sources[0].video = "nowhere.mp4";
  EXPECT_THAT(message_of(item),
              testing::HasSubstr("nowhere.mp4: no such file: expected a video, got nothing"));
  item.sources[0] = {};
  item.sources[0].frames = std::make_shared<test::BrokenFrames>(0);
  EXPECT_THAT(message_of(item),
              testing::HasSubstr("frame source: expected frames of at least 1x1, got 0 of 32x24"));
}

struct WildPlan final : Transform {
  std::vector<std::int64_t> frames;
  void plan(ClipPlan& plan, Random&) const override { plan.frames = frames; }
};

TEST(clip_source, a_transform_may_not_plan_frames_that_are_not_there) {
  const auto message = [](std::vector<std::int64_t> frames) {
    auto wild = std::make_shared<WildPlan>();
    wild->frames = std::move(frames);
    ClipReader reader(std::make_shared<const ClipRecipe>(recipe_of(test::counting_items(1), {wild})));
    try {
      reader.plan({0, 0, 0, 0}, 0);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::plugin);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({0, 10}), testing::HasSubstr("a plan beyond the file: expected frames 0 to 9, got 10"));
  EXPECT_THAT(message({}),
              testing::HasSubstr("a plan without frames: expected at least one frame number, got none"));
  EXPECT_EQ(message({9, 0}), "no error");
}

// Mirrors or not, as the draw says.
TransformList flips() { return {std::make_shared<Flip>()}; }

TEST(clip_source, a_mirrored_clip_has_the_label_that_its_class_becomes) {
  ClipRecipe recipe = recipe_of(test::counting_items(12), flips());
  recipe.training = true;
  recipe.mirrored = {1, 0, 2};
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
  int mirrored = 0;
  for (std::size_t i = 0; i < 12; ++i) {
    const PlannedClip clip = reader.plan({i, 0, 0, 0}, i);
    const std::int64_t label = static_cast<std::int64_t>(i % 3);
    const bool flip = clip.sources[0].plan.geometry.flip;
    EXPECT_EQ(clip_info(clip).target.label, flip && label < 2 ? 1 - label : label) << i;
    mirrored += flip;
  }
  EXPECT_GT(mirrored, 0);
  EXPECT_LT(mirrored, 12);
}

TEST(clip_source, clips_of_an_item_that_an_epoch_has_again_are_drawn_anew) {
  ClipRecipe recipe = recipe_of(test::counting_items(1), flips());
  recipe.training = true;
  recipe.temporal.sampling = config::Sampling::random;
  ClipReader reader(std::make_shared<const ClipRecipe>(recipe));
  std::set<std::pair<std::int64_t, bool>> different;
  for (std::int64_t again = 0; again < 40; ++again) {
    const PlannedClip clip = reader.plan({0, 0, 0, 0, again}, 0);
    EXPECT_EQ(clip.sources[0].plan.frames, reader.plan({0, 0, 0, 0, again}, 0).sources[0].plan.frames);
    different.insert({clip.sources[0].plan.frames[0], clip.sources[0].plan.geometry.flip});
  }
  EXPECT_EQ(different.size(), 8u) << "four starts, mirrored or not";
}

TEST(clip_source, weights_are_left_out_where_items_were_chosen_by_them) {
  auto set = test::counting_items(1);
  set->items[0].weight = 3;
  ClipRecipe recipe = recipe_of(set);
  const auto weight = [&] {
    return clip_info(ClipReader(std::make_shared<const ClipRecipe>(recipe)).plan({0, 0, 0, 0}, 0)).weight;
  };
  EXPECT_EQ(weight(), 3);
  recipe.item_weights = false;
  EXPECT_EQ(weight(), 1);
}

}  // namespace
}  // namespace kinema::data
