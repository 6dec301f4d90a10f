#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

#include "framework/data/loader.h"
#include "framework/data/transform_list.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

std::shared_ptr<test::ListedItems> videos_below(const fs::path& folder) {
  auto set = std::make_shared<test::ListedItems>();
  std::vector<fs::path> classes;
  for (const auto& entry : fs::directory_iterator(folder))
    if (entry.is_directory()) classes.push_back(entry.path());
  std::sort(classes.begin(), classes.end());
  for (const fs::path& name : classes) {
    set->names.push_back(name.filename().string());
    std::vector<fs::path> files;
    for (const auto& entry : fs::directory_iterator(name)) files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    for (const fs::path& file : files)
      set->add_video(file.string(), static_cast<std::int64_t>(set->names.size()) - 1);
  }
  return set;
}

std::vector<std::uint64_t> sums_of_epoch(std::shared_ptr<const Dataset> set, std::int64_t workers,
                                         LoaderStats& stats) {
  config::ClipOptions clip;
  clip.frames = 8;
  clip.crop = 56;
  clip.short_side = {64, 72};
  auto recipe = std::make_shared<ClipRecipe>();
  recipe->temporal = temporal_rule(clip, true);
  recipe->transforms = default_transforms(clip, true);
  TrainScheduleOptions schedule;
  schedule.items = set->size();
  schedule.batch = 8;
  schedule.drop_last = false;
  recipe->dataset = std::move(set);
  LoaderSetup setup;
  setup.recipe = recipe;
  setup.schedule = std::make_shared<TrainSchedule>(schedule);
  setup.workers = workers;
  Loader loader(std::move(setup));
  loader.start(0);
  std::vector<std::uint64_t> sums;
  while (const auto batch = loader.next()) {
    std::uint64_t sum = 0;
    for (std::int64_t i = 0; i < batch->bytes(); ++i) sum = sum * 31 + batch->pixels.get()[i];
    sums.push_back(sum);
  }
  stats = loader.stats();
  return sums;
}

TEST(real_clips, every_clip_of_two_action_sets_is_read_alike_by_any_number_of_workers) {
  const char* real = std::getenv("KINEMA_REAL_DATA");
  if (real == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  for (const auto& [name, count] : {std::pair{"weizmann", 90}, std::pair{"fight_surv_subset", 76}}) {
    const auto set = videos_below(fs::path(real) / "actions" / name);
    ASSERT_EQ(static_cast<int>(set->size()), count) << name;
    LoaderStats alone, four;
    const auto expected = sums_of_epoch(set, 0, alone);
    EXPECT_EQ(sums_of_epoch(set, 4, four), expected) << name;
    EXPECT_EQ(alone.clips, count);
    EXPECT_EQ(four.replaced, 0);
    EXPECT_EQ(four.unreadable, 0);
  }
}

TEST(real_clips, a_folder_of_jpeg_frames_is_read) {
  const char* real = std::getenv("KINEMA_REAL_DATA");
  if (real == nullptr) GTEST_SKIP() << "KINEMA_REAL_DATA is not set";
  Source source;
  source.pattern = fs::path(real) / "videos/frames/mmaction2_imgs/img_%05d.jpg";
  const auto open = open_source(source, {});
  EXPECT_EQ(open->frame_count(), 10);
  std::vector<std::uint8_t> out(static_cast<std::size_t>(open->size().width * open->size().height * 3));
  const std::int64_t last[] = {9};
  EXPECT_EQ(open->read(last, Geometry::whole(open->size()), out.data()).decoder_errors, 0);
  EXPECT_GT(*std::max_element(out.begin(), out.end()), 100);
}

}  // namespace
}  // namespace kinema::data
