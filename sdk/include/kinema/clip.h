#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kinema/geometry.h"

namespace kinema {

// What is going to be decoded for one clip, before any pixel is read. Transforms edit it in order.
struct KINEMA_API ClipPlan {
  // Facts about the source; transforms read these.
  std::int64_t frame_count = 0;  // of the item's span
  double fps = 0;
  bool training = true;
  int temporal_view = 0, temporal_views = 1;  // evaluation looks at a video several times
  int spatial_view = 0, spatial_views = 1;

  // The plan.
  std::vector<std::int64_t> frames;  // frame numbers in the file, in clip order; repeats allowed
  Geometry geometry;
  struct Box {
    double x1, y1, x2, y2;  // pixels of the output so far
  };
  std::vector<Box> boxes;  // follow every step below; clipped to the picture, never removed
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};  // value = (byte / 255 - mean) / std, on the compute device

  Size size() const { return geometry.output; }  // so far
  void resize(Size size);
  void crop(int x, int y, Size size);
  void mirror();
};

// The pixels of one clip: uint8 [frames, height, width, 3], contiguous, borrowed for the call.
struct PixelView {
  std::uint8_t* data = nullptr;
  std::int64_t frames = 0;
  Size size;
  std::int64_t bytes() const { return frames * size.height * size.width * 3; }
};

}  // namespace kinema
