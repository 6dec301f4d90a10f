#include "kinema/geometry.h"

#include <cstdint>
#include <string>

#include "kinema/error.h"

namespace kinema {
namespace {

std::string text(Size size) { return std::to_string(size.width) + "x" + std::to_string(size.height); }

void require_pixels(Size size) {
  if (size.width >= 1 && size.height >= 1) return;
  throw Error(ErrorKind::data, "geometry", "empty picture: expected at least 1x1, got " + text(size));
}

}  // namespace

Geometry Geometry::whole(Size frame) {
  require_pixels(frame);
  const Rect all{0, 0, static_cast<double>(frame.width), static_cast<double>(frame.height)};
  return {all, all, frame, false};
}

void Geometry::resize(Size size) {
  require_pixels(size);
  // A resize to the same size samples pixel centres alone: it reads no neighbours, so nothing is cut off.
  if (size == output) return;
  clamp = source;
  output = size;
}

void Geometry::crop(int x, int y, Size size) {
  require_pixels(size);
  if (x < 0 || y < 0 || std::int64_t{x} + size.width > output.width ||
      std::int64_t{y} + size.height > output.height)
    throw Error(ErrorKind::data, "geometry",
                "crop outside the picture: expected a window inside " + text(output) + ", got " + text(size) +
                    " at (" + std::to_string(x) + ", " + std::to_string(y) + ")");
  const double scale_x = source.width / output.width;
  const double scale_y = source.height / output.height;
  const int unmirrored_x = flip ? output.width - x - size.width : x;
  source = {source.x + unmirrored_x * scale_x, source.y + y * scale_y, size.width * scale_x,
            size.height * scale_y};
  output = size;
}

}  // namespace kinema
