#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "framework/media/encode.h"
#include "kinema/geometry.h"

// Small clips whose frames show their own number, for tests that must know which frame they got.
namespace kinema::test {

struct ClipSpec {
  int frames = 30;
  Size size{64, 48};
  double fps = 25;
  media::WriterOptions writer;      // codec, gop, b_frames ...
  std::vector<std::int64_t> ticks;  // display times in units of 1/fps; empty: one frame a tick
  int first_number = 0;
};

// The number's 16 bits as a 4 x 4 grid of white (1) and black (0) blocks, least significant bit top left, row
// by row. The left half of the picture's colour tint grows with the number, so that motion is smooth too.
inline std::vector<std::uint8_t> numbered_frame(int number, Size size) {
  std::vector<std::uint8_t> rgb(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) *
                                3);
  for (int y = 0; y < size.height; ++y) {
    for (int x = 0; x < size.width; ++x) {
      const int bit = y * 4 / size.height * 4 + x * 4 / size.width;
      const int level = (number >> bit & 1) != 0 ? 225 : 30;
      std::uint8_t* pixel =
          rgb.data() + 3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                            static_cast<std::size_t>(x));
      pixel[0] = static_cast<std::uint8_t>(level);
      pixel[1] = static_cast<std::uint8_t>(level - 10 + number % 20);
      pixel[2] = static_cast<std::uint8_t>(level + 20 - number % 10);
    }
  }
  return rgb;
}

// The number that a frame shows, from the middle of each block of an RGB24 [height, width, 3] picture that
// holds the whole frame (any scale; not mirrored or turned). -1 when a block is neither black nor white.
inline int frame_number_of(const std::uint8_t* rgb, Size size) {
  int number = 0;
  for (int bit = 0; bit < 16; ++bit) {
    const int x = (2 * (bit % 4) + 1) * size.width / 8, y = (2 * (bit / 4) + 1) * size.height / 8;
    const int level = rgb[3 * (static_cast<std::size_t>(y) * static_cast<std::size_t>(size.width) +
                               static_cast<std::size_t>(x))];
    if (level > 96 && level < 160) return -1;
    number |= (level >= 160 ? 1 : 0) << bit;
  }
  return number;
}

inline void make_clip(const std::string& path, const ClipSpec& spec = {}) {
  media::VideoWriter writer(path, spec.size, spec.fps, spec.writer);
  for (int i = 0; i < spec.frames; ++i) {
    const auto rgb = numbered_frame(spec.first_number + i, spec.size);
    if (spec.ticks.empty()) {
      writer.write(rgb.data());
    } else {
      writer.write_at(rgb.data(), spec.ticks.at(static_cast<std::size_t>(i)));
    }
  }
  writer.finish();
}

}  // namespace kinema::test
