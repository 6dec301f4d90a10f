#include "framework/media/examine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "framework/media/encode.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::Folder;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::StartsWith;

std::vector<std::string> faults(const Examination& found) {
  std::vector<std::string> names;
  for (const Fault& fault : found.faults) names.push_back(fault.name);
  return names;
}

TEST(examine, a_good_video_has_no_faults_and_its_facts_are_those_of_reading_it) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 2));
  for (const Depth depth : {Depth::index, Depth::everything}) {
    const Examination found = examine(folder / "a.mp4", depth);
    EXPECT_TRUE(found.usable) << found.reason;
    EXPECT_THAT(faults(found), IsEmpty());
    EXPECT_EQ(found.decoded, depth == Depth::everything);
    const VideoInfo info = Video::open(folder / "a.mp4").info();
    EXPECT_EQ(found.info.frame_count, info.frame_count);
    EXPECT_EQ(found.info.header_frames, 48);
    EXPECT_NEAR(found.info.duration_s, info.duration_s, 1e-9);
    EXPECT_EQ(found.info.codec, "h264");
    EXPECT_EQ(found.info.size, info.size);
  }
}

TEST(examine, tells_the_turn_of_a_rotated_video) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 0);
  spec.writer.rotation_degrees = 90;
  test::make_clip(folder / "a.mov", spec);
  const Examination found = examine(folder / "a.mov", Depth::everything);
  EXPECT_EQ(found.info.rotation_degrees, 90);
  EXPECT_EQ(found.info.size, (Size{48, 64}));
}

TEST(examine, damage_in_the_middle_is_found_by_decoding_alone) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  std::string bytes = test::bytes_of(folder / "a.mp4");
  const std::size_t begin = bytes.find("mdat"), end = bytes.find("moov");
  ASSERT_LT(begin + 100, end);
  ASSERT_LT(end, bytes.size());
  const std::size_t middle = begin + (end - begin) / 2;
  for (std::size_t i = middle; i < middle + 40; ++i) bytes[i] = static_cast<char>(~bytes[i]);
  test::write_bytes(folder / "b.mp4", bytes);
  const Examination found = examine(folder / "b.mp4", Depth::everything);
  EXPECT_TRUE(found.usable) << found.reason;
  EXPECT_THAT(faults(found), Contains("decoder_errors"));
}

TEST(examine, a_file_that_ends_early_claims_more_frames_than_it_has) {
  const Folder folder;
  test::make_clip(folder / "a.avi", clip("mpeg4", 0));
  const std::string bytes = test::bytes_of(folder / "a.avi");
  test::write_bytes(folder / "b.avi", bytes.substr(0, bytes.size() * 6 / 10));
  const Examination found = examine(folder / "b.avi", Depth::everything);
  EXPECT_TRUE(found.usable) << found.reason;
  EXPECT_LT(found.info.frame_count, 48);
  EXPECT_EQ(found.info.header_frames, 48);
  EXPECT_THAT(faults(found), AllOf(Contains("truncated"), Contains("count_over_reported")));
}

TEST(examine, tells_a_variable_rate_from_a_rate_that_the_clock_cannot_express) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 0);
  spec.fps = 29.97;
  test::make_clip(folder / "rounded.mkv", spec);  // whole milliseconds: 33 and 34
  EXPECT_THAT(faults(examine(folder / "rounded.mkv", Depth::everything)), IsEmpty());
  for (int i = 0; i < spec.frames; ++i) spec.ticks.push_back(i < 20 ? i : 5 + i);
  test::make_clip(folder / "gap.mp4", spec);
  EXPECT_THAT(faults(examine(folder / "gap.mp4", Depth::everything)), ElementsAre("variable_rate"));
  EXPECT_THAT(faults(examine(folder / "gap.mp4", Depth::index)), ElementsAre("variable_rate"));
}

TEST(examine, a_stream_without_container_has_no_times) {
  const Folder folder;
  test::make_clip(folder / "a.h264", clip("libx264", 0));
  EXPECT_THAT(faults(examine(folder / "a.h264", Depth::everything)), Contains("no_times"));
}

TEST(examine, finds_a_change_of_size) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 0);
  test::make_clip(folder / "a.h264", spec);
  spec.size = {96, 80};
  test::make_clip(folder / "b.h264", spec);
  test::write_bytes(folder / "c.h264", test::bytes_of(folder / "a.h264") + test::bytes_of(folder / "b.h264"));
  const Examination found = examine(folder / "c.h264", Depth::everything);
  EXPECT_TRUE(found.usable) << found.reason;
  EXPECT_EQ(found.info.size, (Size{64, 48}));
  EXPECT_THAT(faults(found), Contains("size_changes"));
}

TEST(examine, says_why_a_file_cannot_be_used) {
  const Folder folder;
  test::write_bytes(folder / "empty.mp4", "");
  test::write_bytes(folder / "noise.mp4", std::string(5000, 'x'));
  const auto reason = [&](const std::string& path) {
    const Examination found = examine(path, Depth::everything);
    EXPECT_FALSE(found.usable);
    return found.reason;
  };
  EXPECT_EQ(reason(folder / "none.mp4"), "no such file: expected a video, got nothing");
  EXPECT_EQ(reason(folder / "empty.mp4"), "empty file: expected a video, got 0 bytes");
  EXPECT_THAT(reason(folder / "noise.mp4"), StartsWith("not a video: expected a known container"));
}

TEST(examine, takes_a_picture_for_what_it_is) {
  const Folder folder;
  const auto rgb = test::numbered_frame(7, {40, 30});
  write_png(folder / "a.png", rgb.data(), {40, 30});
  const Examination found = examine(folder / "a.png", Depth::everything);
  EXPECT_TRUE(found.usable && found.picture);
  EXPECT_EQ(found.info.codec, "png");
  EXPECT_EQ(found.info.size, (Size{40, 30}));
  EXPECT_EQ(found.info.frame_count, 1);
  const std::string bytes = test::bytes_of(folder / "a.png");
  test::write_bytes(folder / "b.png", bytes.substr(0, 50));
  const Examination cut = examine(folder / "b.png", Depth::everything);
  EXPECT_FALSE(cut.usable);
  EXPECT_TRUE(cut.picture);
  EXPECT_THAT(cut.reason, StartsWith("no decodable picture"));
}

TEST(examine, a_slow_decode_is_a_fault_and_no_reason_to_refuse_what_training_would_take) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  Limits limits;
  limits.seconds_per_check = 0;
  const Examination found = examine(folder / "a.mp4", Depth::everything, limits);
  EXPECT_TRUE(found.usable) << found.reason;
  EXPECT_FALSE(found.decoded);
  EXPECT_EQ(found.info.frame_count, 48);
  EXPECT_THAT(faults(found), ElementsAre("not_decoded"));
}

TEST(examine, agrees_with_opening_on_every_damaged_file) {
  const Folder folder;
  for (const char* name : {"a.mp4", "a.avi", "a.mkv"}) {
    test::make_clip(folder / name, clip("libx264", std::string(name) == "a.avi" ? 0 : 2));
    const std::string bytes = test::bytes_of(folder / name);
    const std::string path = folder / (std::string("broken_") + name);
    for (unsigned round = 0; round < 25; ++round) {
      std::mt19937 random(round);
      std::string broken = bytes;
      const std::size_t at = random() % bytes.size();
      if (round % 2 == 0) broken = bytes.substr(0, at);
      for (std::size_t i = at; i < std::min(at + 30, broken.size()); ++i)
        broken[i] = static_cast<char>(random());
      test::write_bytes(path, broken);
      const Examination found = examine(path, Depth::everything);
      IndexCache::global().clear();
      try {
        const Video video = Video::open(path);
        EXPECT_TRUE(found.usable) << name << " " << round << " " << found.reason;
      } catch (const Error& error) {
        EXPECT_FALSE(found.usable) << name << " " << round;
        EXPECT_EQ(found.reason, error.problems().front().what) << name << " " << round;
      }
    }
  }
}

}  // namespace
}  // namespace kinema::media
