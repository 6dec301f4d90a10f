#include "framework/data/browse.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/data/transforms.h"
#include "framework/media/picture.h"
#include "framework/media/video.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

using test::Scratch;
using testing::ElementsAre;
using testing::HasSubstr;

std::shared_ptr<ClipRecipe> recipe_of(int items) {
  auto recipe = std::make_shared<ClipRecipe>();
  const auto set = test::counting_items(items, {96, 64});
  set->items[0].target.boxes = {{0.25, 0.25, 0.75, 0.75, {1}}};
  recipe->dataset = set;
  recipe->temporal = {4, 2, {}, config::Sampling::center, 1};
  auto crop = std::make_shared<CenterCrop>();
  crop->size = 48;
  recipe->transforms = {crop, std::make_shared<Flip>(), std::make_shared<Brightness>()};
  return recipe;
}

std::vector<std::string> names(const BrowseReport& report) {
  std::vector<std::string> list;
  for (const auto& file : report.files) list.push_back(file.filename().string());
  return list;
}

TEST(browse, writes_a_picture_a_step_that_changes_pixels_and_a_moving_one_an_item) {
  const Scratch scratch;
  BrowseOptions options;
  options.items = 3;
  options.stages = true;
  options.step_names = {"center_crop", "flip", "brightness"};
  options.output = scratch / "pictures";
  const BrowseReport report = browse(recipe_of(6), options);
  EXPECT_THAT(names(report), ElementsAre("final.png", "0_decoded.png", "1_geometry.png", "4_brightness.png",
                                         "item_0.gif", "item_2.gif", "item_4.gif", "legend.tsv"));
  // Three rows of four frames: 48 enlarged to 48 (64 / 48 is 1), text and margins.
  const Size final_size = media::Picture::open(report.files[0].string()).size();
  EXPECT_EQ(final_size, (Size{4 + 4 * (48 + 4), 4 + 3 * (48 + 10 + 12)}));
  const media::Video gif = media::Video::open(report.files[4].string());
  EXPECT_EQ(gif.info().frame_count, 4);
  EXPECT_EQ(gif.info().size, (Size{48, 48}));
  EXPECT_THAT(test::slurp(report.files[7].string()),
              HasSubstr("0\t0\titem0\trun, walk\t1,3,5,7\t24,8 48x48\t48x48"));
}

TEST(browse, outlines_the_boxes_where_they_have_moved_to) {
  const Scratch scratch;
  BrowseOptions options;
  options.items = 1;
  options.output = scratch.path();
  auto recipe = recipe_of(1);
  recipe->transforms.resize(1);
  const BrowseReport report = browse(recipe, options);
  media::Picture picture = media::Picture::open(report.files[0].string());
  std::vector<std::uint8_t> rgb(3 * static_cast<std::size_t>(picture.size().width * picture.size().height));
  picture.read(Geometry::whole(picture.size()), rgb.data());
  // The box is 24..72 x 16..48 of the frame, 0..48 x 8..40 of the crop at (24, 8).
  const auto at = [&](int x, int y) {
    return rgb[static_cast<std::size_t>(3 * ((4 + y) * picture.size().width + 4 + x))];
  };
  EXPECT_EQ(at(0, 8), 255);
  EXPECT_EQ(at(47, 39), 255);
  EXPECT_LT(at(24, 20), 64);
  EXPECT_LT(at(0, 7), 64);
}

TEST(browse, names_items_that_cannot_be_read_and_shows_the_others) {
  const Scratch scratch;
  auto recipe = recipe_of(1);
  auto set = std::make_shared<test::ListedItems>();
  set->names = {"a"};
  set->add(std::make_shared<test::BrokenFrames>(), 0);
  set->add(std::make_shared<test::CountingFrames>(1, Size{96, 64}, 10), 0);
  recipe->dataset = set;
  recipe->transforms.clear();
  BrowseOptions options;
  options.output = scratch.path();
  const BrowseReport report = browse(recipe, options);
  EXPECT_THAT(names(report), ElementsAre("final.png", "item_1.gif", "legend.tsv"));
  EXPECT_THAT(report.unreadable, ElementsAre("broken: cannot be read"));
}

}  // namespace
}  // namespace kinema::data
