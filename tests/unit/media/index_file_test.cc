#include "framework/media/index_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <xxhash.h>

#include <random>

#include "framework/media/lead_in.h"
#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::Folder;
using testing::HasSubstr;

std::span<const std::uint8_t> bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string error_of(const std::string& bytes) {
  try {
    index_from_bytes(bytes_of(bytes), "here");
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

// With the checksum that belongs to the bytes.
std::string sealed(std::string bytes) {
  bytes.resize(bytes.size() - 8);
  const std::uint64_t checksum = XXH3_64bits(bytes.data(), bytes.size());
  for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(checksum >> shift);
  return bytes;
}

TEST(index_file, gives_back_the_index_that_was_written) {
  const Folder folder;
  for (const auto& spec : {clip("libx264", 2), clip("libx264", 0), clip("mpeg4", 0)}) {
    make_clip(folder / "a.mp4", spec);
    const IndexPtr index = index_of(folder / "a.mp4");
    const std::string bytes = index_to_bytes(*index);
    const Index read = index_from_bytes(bytes_of(bytes), "here");
    EXPECT_EQ(index_to_bytes(read), bytes);
    EXPECT_EQ(read.info.codec, index->info.codec);
    EXPECT_EQ(read.info.frame_count, 48);
    EXPECT_EQ(read.info.fps, index->info.fps);
    ASSERT_EQ(read.packets.size(), index->packets.size());
    EXPECT_EQ(read.packets[7].position, index->packets[7].position);
    EXPECT_EQ(read.packets[7].droppable, index->packets[7].droppable);
    EXPECT_EQ(read.frames[9].packet, index->frames[9].packet);
    EXPECT_EQ(read.frames[9].time_s, index->frames[9].time_s);
    EXPECT_EQ(read.entries.size(), index->entries.size());
    EXPECT_EQ(mean_lead_in(read), mean_lead_in(*index));
    EXPECT_LT(bytes.size(), 48u * 20 + 300);
  }
}

TEST(index_file, a_video_opened_with_it_reads_the_same_frames_without_a_scan) {
  const Folder folder;
  make_clip(folder / "a.mp4", clip("libx264", 2));
  const std::string bytes = index_to_bytes(*index_of(folder / "a.mp4"));
  const std::vector<std::int64_t> frames = {3, 40, 17, 18, 47, 0};
  const Geometry whole = Geometry::whole({64, 48});
  std::vector<std::uint8_t> before(frames.size() * test::rgb_bytes({64, 48})), after(before.size());
  Video::open(folder / "a.mp4").read(frames, whole, before.data());
  IndexCache::global().clear();
  Video video = Video::open({folder / "a.mp4"},
                            std::make_shared<const Index>(index_from_bytes(bytes_of(bytes), "here")));
  const ClipReport report = video.read(frames, whole, after.data());
  EXPECT_FALSE(report.reindexed);
  EXPECT_EQ(report.errors, 0);
  EXPECT_EQ(before, after);
}

TEST(index_file, says_what_is_wrong_with_other_bytes) {
  const Folder folder;
  make_clip(folder / "a.mp4", clip("libx264", 2));
  const std::string good = index_to_bytes(*index_of(folder / "a.mp4"));
  EXPECT_THAT(error_of("noise"), HasSubstr("here: no index: expected one that kinema wrote"));
  std::string bytes = good;
  bytes[8] = 9;
  EXPECT_THAT(error_of(bytes), HasSubstr("expected version 1, got version 9"));
  bytes = good;
  bytes[40] ^= 1;
  EXPECT_THAT(error_of(bytes), HasSubstr("expected the checksum of its bytes"));
  EXPECT_THAT(error_of(good.substr(0, good.size() - 9)), HasSubstr("checksum"));
}

// Whoever wrote them: what is accepted reads the file without a crash, or says that it is another one.
TEST(index_file, changed_numbers_are_refused_or_harmless) {
  const Folder folder;
  make_clip(folder / "a.mp4", clip("libx264", 2));
  const std::string good = index_to_bytes(*index_of(folder / "a.mp4"));
  std::mt19937_64 random(1);
  std::vector<std::uint8_t> rgb(2 * test::rgb_bytes({64, 48}));
  int refused = 0;
  constexpr int kChanges = 600;
  for (int i = 0; i < kChanges; ++i) {
    std::string bytes = good;
    for (int k = 0; k <= i % 3; ++k)
      bytes[9 + random() % (bytes.size() - 17)] = static_cast<char>(random() % 4 == 0 ? 0xff : random());
    IndexCache::global().clear();
    try {
      const auto index = std::make_shared<const Index>(index_from_bytes(bytes_of(sealed(bytes)), "here"));
      Video video = Video::open({folder / "a.mp4"}, index);
      if (video.info().size != Size{64, 48}) continue;
      video.read(std::vector<std::int64_t>{0, video.info().frame_count - 1}, Geometry::whole({64, 48}),
                 rgb.data());
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  IndexCache::global().clear();
}

TEST(lead_in, is_the_mean_distance_from_the_frame_where_decoding_begins) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 0, {{"sc_threshold", "0"}});
  spec.writer.gop = 12;
  make_clip(folder / "a.mp4", spec);
  EXPECT_EQ(mean_lead_in(*index_of(folder / "a.mp4")), 5.5);
  spec.writer.gop = 48;
  make_clip(folder / "b.mp4", spec);
  EXPECT_EQ(mean_lead_in(*index_of(folder / "b.mp4")), 23.5);
  EXPECT_EQ(mean_lead_in(Index()), 0);
}

}  // namespace
}  // namespace kinema::media
