#pragma once

#include <string>
#include <vector>

#include "tests/unit/media/clip_spec.h"

namespace kinema::test {

// A codec in a container, with times of some sort.
struct Kind {
  const char* file;
  ClipSpec spec;
  bool scanned;  // whether a scan of the packets is enough
  std::int64_t least_entries = 1;
};

inline ClipSpec with_ticks(ClipSpec spec, std::int64_t first, std::int64_t (*step)(int)) {
  std::int64_t tick = first;
  for (int i = 0; i < spec.frames; ++i) {
    spec.ticks.push_back(tick);
    tick += step(i);
  }
  return spec;
}

inline ClipSpec turned(ClipSpec spec, int degrees) {
  spec.writer.rotation_degrees = degrees;
  return spec;
}

inline ClipSpec fast(ClipSpec spec, double fps) {
  spec.fps = fps;
  return spec;
}

inline ClipSpec sized(ClipSpec spec, Size size) {
  spec.size = size;
  return spec;
}

inline std::vector<Kind> kinds() {
  const std::map<std::string, std::string> fragmented = {
      {"movflags", "frag_keyframe+empty_moov+default_base_moof"}};
  const auto uneven = [](int i) -> std::int64_t { return 1 + i % 3; };
  const auto even = [](int) -> std::int64_t { return 1; };
  return {
      {"plain.mp4", clip("libx264", 0), true, 4},
      {"b_frames.mp4", clip("libx264", 3), true, 4},
      {"pyramid.mkv", clip("libx264", 7, {{"x264-params", "b-pyramid=normal:bframes=7:b-adapt=0"}}), true, 4},
      {"open_gop.mp4", clip("libx264", 2, {{"x264-params", "open-gop=1:b-adapt=0:scenecut=0"}}), true, 4},
      {"intra_refresh.mp4", clip("libx264", 0, {{"x264-params", "intra-refresh=1"}}), true, 1},
      {"interlaced.mp4", clip("libx264", 2, {{"x264-params", "interlaced=1"}}), true, 4},
      {"slices.mp4", clip("libx264", 2, {{"x264-params", "slices=3"}}), true, 4},
      {"no_times.avi", clip("libx264", 2), false, 4},
      {"stream.ts", clip("libx264", 2), false, 4},
      {"flash.flv", clip("libx264", 2), false, 4},
      {"raw.h264", clip("libx264", 2), false, 4},
      {"fragmented.mp4", clip("libx264", 2, {}, fragmented), true, 4},
      {"uneven.mp4", with_ticks(clip("libx264", 2), 0, uneven), true, 4},
      {"uneven.mkv", with_ticks(clip("libx264", 2), 0, uneven), true, 4},
      {"late_start.mp4", with_ticks(clip("libx264", 2), 250, even), true, 4},
      {"equal_times.mkv", fast(clip("libx264", 2), 3000), false, 1},
      {"turned.mp4", turned(clip("libx264", 2), 90), true, 4},
      {"ten_bits.mp4", clip("libx264", 2, {}, {}, "yuv420p10le"), true, 4},
      {"full_colour.mp4", clip("libx264", 2, {}, {}, "yuv444p"), true, 4},
      {"odd.mp4", sized(clip("libx264", 2, {}, {}, "yuv444p"), {67, 45}), true, 4},
      {"tiny.mp4", sized(clip("libx264", 0), {16, 16}), true, 4},
      {"closed.hevc.mp4", clip("libx265", 3, {{"x265-params", "open-gop=0:log-level=none"}}), true, 4},
      {"open.hevc.mp4",
       clip("libx265", 3, {{"x265-params", "open-gop=1:log-level=none:keyint=12:min-keyint=12:scenecut=0"}}),
       true, 4},
      {"raw.hevc", clip("libx265", 3, {{"x265-params", "log-level=none"}}), false, 4},
      {"part2.avi", clip("mpeg4", 0), true, 4},
      {"part2_b.avi", clip("mpeg4", 2), true, 4},
      {"part2_b.mp4", clip("mpeg4", 2), true, 4},
      {"part2.m4v", clip("mpeg4", 2), true, 4},
      {"vp8.webm", clip("libvpx", 0, {{"auto-alt-ref", "1"}, {"lag-in-frames", "10"}, {"b", "200000"}}), true,
       4},
      {"vp9.webm", clip("libvpx-vp9", 0, {{"auto-alt-ref", "1"}, {"lag-in-frames", "10"}, {"cpu-used", "8"}}),
       true, 4},
      {"program.mpg", clip("mpeg2video", 2), false, 3},
      {"mpeg1.mpg", clip("mpeg1video", 2), false, 3},
      {"mpeg2.mp4", clip("mpeg2video", 2), false, 3},
      {"windows.wmv", clip("wmv2", 0), false, 1},
      {"sorenson.flv", clip("flv", 0), false, 4},
      {"motion.avi", clip("mjpeg", 0, {}, {}, "yuvj420p"), true, 48},
      {"lossless.mkv", clip("ffv1", 0), false, 4},
      {"animation.gif", clip("gif", 0), false, 1},
  };
}

}  // namespace kinema::test
