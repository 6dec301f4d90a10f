#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/geometry.h"

namespace kinema::data {

using Colour = std::array<std::uint8_t, 3>;

// A picture to draw on: RGB, uint8 [height, width, 3]. What lies outside of it is left out.
class Canvas {
 public:
  Canvas(Size size, Colour background);
  Size size() const { return size_; }
  const std::uint8_t* data() const { return rgb_.data(); }

  // A picture at (x, y), scaled to `shown` by taking the nearest pixels.
  void paste(int x, int y, const std::uint8_t* rgb, Size size, Size shown);
  // The outline of a box, one pixel wide, inside of it.
  void outline(int x1, int y1, int x2, int y2, Colour colour);
  // Capital letters, digits and a few signs; kTextHeight high. Other bytes become '?'.
  void write(int x, int y, std::string_view text, Colour colour);
  static constexpr int kTextHeight = 10, kLetterWidth = 8;

 private:
  void set(int x, int y, Colour colour);
  Size size_;
  std::vector<std::uint8_t> rgb_;
};

}  // namespace kinema::data
