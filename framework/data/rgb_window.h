#pragma once

// Private to this folder.
#include <cstddef>
#include <cstdint>

#include "framework/media/resample.h"
#include "kinema/geometry.h"

namespace kinema::data {

// `geometry` over whole RGB24 pictures of one size, by the rules that decoded video follows.
class RgbWindow {
 public:
  RgbWindow(Size picture, const Geometry& geometry);
  // Of an output: RGB24 [output.height, output.width, 3].
  std::size_t bytes() const { return bytes_; }
  void cut(const std::uint8_t* rgb, media::Resampler& resampler, std::uint8_t* out) const;

 private:
  std::size_t stride_, bytes_;
  media::Taps columns_, rows_;
};

// The window of a frame of size `from`, in a frame of the same scene of size `to`.
Geometry scaled(Geometry geometry, Size from, Size to);

}  // namespace kinema::data
