#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "framework/media/index.h"
#include "framework/media/limits.h"
#include "framework/media/video_part.h"
#include "kinema/geometry.h"

namespace kinema::media {

// The index that is at hand without reading the file: from the global cache, or null.
IndexPtr cached_index(const VideoPart& part);

// What happened while one clip was read.
struct ClipReport {
  std::int64_t errors = 0;  // decoder and container messages of level error
  std::int64_t warnings = 0;
  std::int64_t corrupt_frames = 0;  // frames that the decoder itself marked as damaged
  std::int64_t decoded_frames = 0;
  std::int64_t seeks = 0;
  bool reindexed = false;  // the scanned index was wrong: the whole file was decoded once
  std::string first_message;
};

// One open video file, for one thread; reused for many clips without opening anything again.
//
// | matter                 | policy |
// |------------------------|--------|
// | frame number           | k-th frame (from 0) of a decode of the stream from its first packet |
// | several video streams  | the one FFmpeg calls best; cover pictures do not count |
// | audio only             | refused |
// | rotation, mirroring    | the container's display matrix is applied, to the nearest quarter turn |
// | sample aspect ratio    | not applied: pixels as stored; VideoInfo tells it |
// | odd sizes              | every row and column is delivered |
// | interlaced             | not deinterlaced: woven as stored; VideoInfo tells it |
// | size change mid-stream | later frames are scaled to the size of the first |
// | colour matrix, range   | those of each frame; unspecified: BT.601 limited, as FFmpeg does |
// | 10 bit, HDR            | to 8 bit by rounding; no tone mapping |
// | alpha                  | dropped, not blended |
// | edit lists             | frames that the list cuts away do not count; gaps are not filled |
// | variable frame rate    | frames as they are; times by frame_time_s |
// | no times in the file   | frame_time_s = number / fps |
// | negative, late times   | counted from the earliest time of all streams, the file's start |
// | times that go back     | one frame after the frame before |
// | one frame              | a video like others; it lasts 1 / fps |
// | header's frame count   | never believed: frames are counted |
// | header's frame size    | never believed: that of the first decoded frame; limits hold for both |
// | cut off                | the frames that are there; refused without the container's index |
// | damaged frames         | as the decoder conceals them, and counted; lost ones do not count |
//
// Damage that makes a decoder drop a picture shows only when it is decoded. Of a scanned index the frames
// behind such a picture keep the numbers of the scan until a read meets it; then the file is decoded once and
// numbered anew. Limits::index_by_decoding leaves no doubt.
//
// Errors are Error(data) that name the path: a missing, empty or foreign file, no video stream, an unknown
// codec, no decodable frame, a limit, a frame number past the end.
class Video {
 public:
  static Video open(const std::string& path, const Limits& limits = {});
  // A part of a file. `known` is its index where it is at hand: nothing is scanned then.
  static Video open(const VideoPart& part, const IndexPtr& known, const Limits& limits = {});
  Video(Video&&) noexcept;
  Video& operator=(Video&&) noexcept;
  ~Video();

  const VideoInfo& info() const;
  const Index& index() const;
  // Seconds from the start of the file (the earliest of all its streams) to the frame's presentation.
  double frame_time_s(std::int64_t frame) const;
  // The last frame at or before that time, clamped to the first and last ones.
  std::int64_t frame_at(double time_s) const;

  // Writes the frames asked for, in the order asked for (any order, repeats allowed), as RGB24
  // [frames, geometry.output.height, geometry.output.width, 3] to `out`, which the caller owns.
  ClipReport read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out);

 private:
  struct State;
  explicit Video(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinema::media
