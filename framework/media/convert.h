#pragma once

#include <cstdint>
#include <memory>

#include "framework/media/orientation.h"
#include "kinema/geometry.h"

struct AVFrame;

namespace kinema::media {

// Turns decoded frames of any pixel format into RGB24 windows: swscale (accurate, the frame's own matrix and
// range) over the needed part, then turned upright, then resample(). Keeps its buffers; one per thread.
class Converter {
 public:
  Converter();
  ~Converter();
  Converter(Converter&&) noexcept;

  // `geometry` is in the coordinates of a displayed frame of size `displayed`; a frame of another size is
  // scaled to that one. Writes RGB24 [output.height, output.width, 3]. Throws Error(data), `where` empty, for
  // a pixel format that cannot be converted.
  void convert(const AVFrame& frame, Orientation orientation, Size displayed, const Geometry& geometry,
               std::uint8_t* out);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::media
