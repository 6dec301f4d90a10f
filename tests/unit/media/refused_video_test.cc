#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "framework/media/video.h"
#include "kinema/error.h"
#include "tests/unit/media/clip_spec.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

using test::bytes_of;
using test::clip;
using test::Folder;
using test::write_bytes;

std::string refusal(const std::string& path, const Limits& limits = {}) {
  try {
    Video::open(path, limits);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_EQ(error.problems().at(0).where, path);
    return error.problems().at(0).what;
  }
  return "no error";
}

TEST(video, refuses_a_missing_file) {
  EXPECT_EQ(refusal("/nowhere/a.mp4"), "no such file: expected a video, got nothing");
}

TEST(video, refuses_a_folder_and_a_pipe_without_waiting) {
  const Folder folder;
  EXPECT_EQ(refusal(folder / ""), "not a file: expected a video, got a folder");
  ASSERT_EQ(::mkfifo((folder / "pipe.mp4").c_str(), 0600), 0);
  EXPECT_EQ(refusal(folder / "pipe.mp4"),
            "not a regular file: expected a video, got a device, pipe or socket");
}

TEST(video, refuses_an_empty_file) {
  const Folder folder;
  write_bytes(folder / "a.mp4", "");
  EXPECT_EQ(refusal(folder / "a.mp4"), "empty file: expected a video, got 0 bytes");
}

TEST(video, refuses_what_is_no_video) {
  const Folder folder;
  write_bytes(folder / "a.mp4", std::string(5000, 'x'));
  EXPECT_THAT(refusal(folder / "a.mp4"), testing::StartsWith("not a video: expected a known container, got"));
}

TEST(video, refuses_playlists_and_lists_whatever_their_name) {
  const Folder folder;
  test::make_clip(folder / "real.mp4", clip("libx264", 0));
  test::make_clip(folder / "real.ts", clip("libx264", 0));
  const std::string hls =
      "#EXTM3U\n#EXT-X-VERSION:3\n#EXT-X-TARGETDURATION:2\n#EXTINF:2.0,\nreal.ts\n#EXT-X-ENDLIST\n";
  const std::map<std::string, std::string> lists = {
      {"hls.mp4", hls}, {"hls.m3u8", hls}, {"concat.mp4", "ffconcat version 1.0\nfile real.mp4\n"}};
  for (const auto& [name, text] : lists) {
    write_bytes(folder / name, text);
    EXPECT_THAT(refusal(folder / name), testing::AnyOf(testing::StartsWith("container not allowed:"),
                                                       testing::StartsWith("not a video:")));
  }
  EXPECT_EQ(refusal("http://127.0.0.1:9/a.mp4"), "no such file: expected a video, got nothing");
  EXPECT_EQ(refusal("concat:" + (folder / "real.ts")), "no such file: expected a video, got nothing");
}

TEST(video, refuses_a_file_without_a_video_stream) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  bytes.replace(bytes.find("vide", bytes.find("hdlr")), 4, "soun");
  write_bytes(path, bytes);
  EXPECT_EQ(refusal(path), "no video stream: expected one, got 1 stream(s) of sound, text or cover pictures");
}

TEST(video, refuses_a_codec_without_decoder) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  for (std::size_t at; (at = bytes.find("avc1")) != std::string::npos;) bytes.replace(at, 4, "vvc1");
  write_bytes(path, bytes);
  EXPECT_EQ(refusal(path), "unsupported codec: expected one that can be decoded here, got none (tag vvc1)");
}

TEST(video, refuses_a_stream_of_which_nothing_decodes) {
  const Folder folder;
  const std::string path = folder / "a.mp4";
  test::make_clip(path, clip("libx264", 0));
  std::string bytes = bytes_of(path);
  const std::size_t data = bytes.find("mdat") + 4, end = bytes.find("moov") - 4;
  for (std::size_t i = data; i < end; ++i) bytes[i] = static_cast<char>(0xff);
  write_bytes(path, bytes);
  EXPECT_THAT(refusal(path),
              testing::StartsWith("no decodable frame: expected at least one, got none from 48 packets"));
}

}  // namespace
}  // namespace kinema::media
