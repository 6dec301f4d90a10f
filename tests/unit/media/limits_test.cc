// Each limit of Limits: what is beyond it is refused, and the message names the limit.
#include "framework/media/limits.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"
#include "framework/media/picture.h"
#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::clip;
using test::Folder;

template <typename Call>
std::string refusal(Call call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    return error.problems().at(0).what;
  }
  return "no error";
}

std::string refusal_to_open(const std::string& path, const Limits& limits) {
  return refusal([&] { Video::open(path, limits); });
}

std::string refusal_to_read(const std::string& path, const Limits& limits) {
  Video video = Video::open(path, limits);
  std::vector<std::uint8_t> rgb(test::rgb_bytes(video.info().size));
  return refusal(
      [&] { video.read(std::vector<std::int64_t>{20}, Geometry::whole(video.info().size), rgb.data()); });
}

TEST(limits, pixels_of_a_frame) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  Limits limits;
  limits.max_pixels = 64 * 48;
  EXPECT_EQ(refusal_to_open(folder / "a.mp4", limits), "no error");
  limits.max_pixels = 1000;
  IndexCache::global().clear();
  EXPECT_EQ(refusal_to_open(folder / "a.mp4", limits),
            "frame too large: expected at most max_pixels = 1000, got 64 x 48");
}

// The header of the container says nothing about it: the decoder meets it.
TEST(limits, pixels_of_a_frame_in_the_middle) {
  const Folder folder;
  test::ClipSpec spec = clip("libx264", 0);
  test::make_clip(folder / "a.h264", spec);
  spec.size = {128, 96};
  test::make_clip(folder / "b.h264", spec);
  const std::string path = folder / "c.h264";
  test::write_bytes(path, test::bytes_of(folder / "a.h264") + test::bytes_of(folder / "b.h264"));
  Limits limits;
  limits.max_pixels = 5000;
  Video video = Video::open(path, limits);
  EXPECT_EQ(video.info().frame_count, 48) << "the larger ones are damage";
  EXPECT_GT(video.index().decode_errors, 0);
}

TEST(limits, pixels_of_a_picture) {
  const Folder folder;
  const auto rgb = test::numbered_frame(7, {40, 30});
  write_png(folder / "a.png", rgb.data(), {40, 30});
  Limits limits;
  limits.max_pixels = 1000;
  EXPECT_THAT(refusal([&] { Picture::open(folder / "a.png", limits); }),
              testing::StartsWith("no decodable picture: expected one within max_pixels = 1000, got"));
}

// A file with so many streams of pictures.
void write_streams(const std::string& path, int streams) {
  AVFormatContext* format = nullptr;
  ASSERT_GE(avformat_alloc_output_context2(&format, nullptr, nullptr, path.c_str()), 0);
  for (int i = 0; i < streams; ++i) {
    AVCodecParameters& codec = *avformat_new_stream(format, nullptr)->codecpar;
    codec.codec_type = AVMEDIA_TYPE_VIDEO;
    codec.codec_id = AV_CODEC_ID_MJPEG;
    codec.width = codec.height = 16;
    format->streams[i]->time_base = {1, 25};
  }
  ASSERT_GE(avio_open(&format->pb, path.c_str(), AVIO_FLAG_WRITE), 0);
  ASSERT_GE(avformat_write_header(format, nullptr), 0);
  PacketPtr packet(av_packet_alloc());
  for (int i = 0; i < streams; ++i) {
    ASSERT_GE(av_new_packet(packet.get(), 100), 0);
    std::fill_n(packet->data, 100, std::uint8_t{0});
    packet->stream_index = i;
    packet->pts = packet->dts = 0;
    packet->duration = 1;
    ASSERT_GE(av_interleaved_write_frame(format, packet.get()), 0);
  }
  av_write_trailer(format);
  avio_closep(&format->pb);
  avformat_free_context(format);
}

TEST(limits, streams_of_a_file) {
  const Folder folder;
  const MessageCount unheard;
  for (const char* file : {"a.mkv", "a.mov", "a.ts"}) {
    const std::string path = folder / file;
    write_streams(path, 4);
    Limits limits;
    for (const unsigned most : {3u, 2u, 1u}) {
      limits.max_streams = most;
      EXPECT_EQ(refusal_to_open(path, limits),
                "too many streams: expected at most max_streams = " + std::to_string(most) + ", got more")
          << file;
    }
    limits.max_streams = 4;
    EXPECT_THAT(refusal_to_open(path, limits), testing::Not(testing::StartsWith("too many streams"))) << file;
  }
}

// Not a bound on what is read: a refusal tells that more bytes might have been understood.
TEST(limits, bytes_that_are_probed) {
  const Folder folder;
  const std::string before(50'000, 'x');
  Limits limits;
  limits.probe_bytes = 20'000;
  for (const char* file : {"a.mkv", "a.ts"}) {
    test::make_clip(folder / file, clip("libx264", 0));
    test::write_bytes(folder / "late", before + test::bytes_of(folder / file));
    EXPECT_THAT(refusal_to_open(folder / "late", limits),
                testing::HasSubstr(" within probe_bytes = 20000, got"))
        << file;
    EXPECT_THAT(refusal_to_open(folder / "late", {}), testing::Not(testing::HasSubstr("probe_bytes")))
        << file;
  }
}

TEST(limits, packets_of_a_file) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  Limits limits;
  limits.max_packets = 47;
  EXPECT_EQ(refusal_to_open(folder / "a.mp4", limits),
            "too many packets: expected at most max_packets = 47, got more");
  limits.max_packets = 48;
  EXPECT_EQ(refusal_to_open(folder / "a.mp4", limits), "no error");
}

TEST(limits, seconds_to_open) {
  const Folder folder;
  test::make_clip(folder / "a.mp4", clip("libx264", 0));
  Limits limits;
  limits.seconds_per_open = 0;
  EXPECT_EQ(refusal_to_open(folder / "a.mp4", limits),
            "took too long: expected an end within seconds_per_open = 0, got none");
}

// FFmpeg asks whether it should stop, and reads no further.
TEST(limits, seconds_of_a_clip) {
  const Folder folder;
  for (const char* file : {"a.mp4", "a.ts", "a.mkv"}) {
    test::make_clip(folder / file, clip("libx264", 2));
    Limits limits;
    limits.seconds_per_read = 0;
    EXPECT_EQ(refusal_to_read(folder / file, limits),
              "took too long: expected an end within seconds_per_read = 0, got none");
  }
}

}  // namespace
}  // namespace kinema::media
