#include "framework/data/check_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/clips.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

using test::make_clip;
using test::Scratch;
using test::spit;
using testing::HasSubstr;
using testing::StartsWith;

std::vector<NamedFile> some_files(const Scratch& scratch) {
  for (const char* name : {"a.mp4", "c.mp4", "e.mp4"}) make_clip(scratch / name, {.frames = 12});
  spit(scratch / "b.mp4", "");
  spit(scratch / "d.mp4", "noise noise noise noise");
  return files_in(scratch.path());
}

TEST(check_files, the_report_is_the_same_for_any_number_of_threads) {
  const Scratch scratch;
  const std::vector<NamedFile> files = some_files(scratch);
  for (const std::int64_t threads : {1, 2, 7}) {
    CheckOptions options;
    options.threads = threads;
    std::size_t shown = 0;
    options.progress = [&](std::size_t finished, std::size_t) { shown = finished; };
    const CheckReport report = check_files(files, options);
    ASSERT_EQ(report.files.size(), 5u);
    std::string states;
    for (const CheckedFile& file : report.files)
      states += file.name + (file.found.usable ? " good, " : " bad, ");
    EXPECT_EQ(states, "a.mp4 good, b.mp4 bad, c.mp4 good, d.mp4 bad, e.mp4 good, ");
    EXPECT_EQ(shown, 5u);
    EXPECT_FALSE(report.all_good());
    EXPECT_EQ(report.usable(), 3u);
    EXPECT_EQ(report.reasons(), (std::map<std::string, std::size_t>{{"empty file", 1}, {"not a video", 1}}));
  }
}

TEST(check_files, a_split_is_its_files_and_its_spans) {
  const Scratch scratch;
  some_files(scratch);
  const auto set = std::make_shared<test::ListedItems>();
  for (const char* name : {"a.mp4", "gone.mp4", "a.mp4", "c.mp4"}) set->add_video(scratch / name, 0);
  set->items[2].span = {Span::Unit::frames, 12, 20};
  set->items[3].span = {Span::Unit::frames, 11, 20};
  const CheckReport report = check_splits({{"train", set}}, {});
  ASSERT_EQ(report.files.size(), 3u);
  EXPECT_EQ(report.files[0].items, 2u);
  EXPECT_FALSE(report.files[1].found.usable);
  ASSERT_EQ(report.items.size(), 2u);
  EXPECT_EQ(report.items[0].index, 1u);
  EXPECT_THAT(report.items[0].reason, HasSubstr("no such file"));
  EXPECT_EQ(report.items[1].index, 2u);
  EXPECT_EQ(report.splits[0].unusable, 2u);
}

TEST(check_files, numbered_pictures_and_own_pixels_are_read_to_their_end) {
  const Scratch scratch;
  const Size size{32, 24};
  for (int i = 1; i <= 4; ++i)
    media::write_png(scratch / ("img_" + std::to_string(i) + ".png"), test::numbered_frame(i, size).data(),
                     size);
  const auto set = std::make_shared<test::ListedItems>();
  set->add(nullptr, 0, "pictures");
  set->items[0].sources[0].pattern = scratch / "img_%d.png";
  set->add(std::make_shared<test::CountingFrames>(1, size, 10), 0, "counting");
  set->add(std::make_shared<test::BrokenFrames>(), 0, "broken");
  CheckReport report = check_splits({{"train", set}}, {});
  ASSERT_EQ(report.files.size(), 3u);
  EXPECT_EQ(report.files[0].kind, SourceKind::pictures);
  EXPECT_EQ(report.files[0].found.info.frame_count, 4);
  EXPECT_TRUE(report.files[0].found.usable);
  EXPECT_EQ(report.files[1].name, "counting");
  EXPECT_TRUE(report.files[1].found.usable);
  EXPECT_EQ(report.files[2].found.reason, "broken: cannot be read");

  media::write_png(scratch / "img_3.png", test::numbered_frame(3, {30, 24}).data(), {30, 24});
  report = check_splits({{"train", set}}, {});
  EXPECT_THAT(report.files[0].found.reason, HasSubstr("img_3.png: the size changes"));
}

TEST(check_files, a_picture_in_the_place_of_a_video_is_refused_as_training_would) {
  const Scratch scratch;
  media::write_png(scratch / "a.png", test::numbered_frame(1, {32, 24}).data(), {32, 24});
  const auto set = std::make_shared<test::ListedItems>();
  set->add_video(scratch / "a.png", 0);
  EXPECT_THAT(check_splits({{"train", set}}, {}).files[0].found.reason,
              StartsWith("a picture: expected a video"));
  const CheckReport report = check_files(files_in(scratch.path()), {});
  EXPECT_TRUE(report.files[0].found.usable);
  EXPECT_EQ(report.files[0].kind, SourceKind::picture);
}

}  // namespace
}  // namespace kinema::data
