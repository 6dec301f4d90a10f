#include "framework/data/rgb_window.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace kinema::data {

RgbWindow::RgbWindow(Size picture, const Geometry& geometry)
    : stride_(static_cast<std::size_t>(picture.width) * 3),
      bytes_(static_cast<std::size_t>(geometry.output.width) *
             static_cast<std::size_t>(geometry.output.height) * 3) {
  const auto limits = [](double from, double length, int count) {
    const int low = std::clamp(static_cast<int>(std::lround(from)), 0, count - 1);
    return std::pair{low, std::clamp(static_cast<int>(std::lround(from + length)) - 1, low, count - 1)};
  };
  const auto [left, right] = limits(geometry.clamp.x, geometry.clamp.width, picture.width);
  const auto [top, bottom] = limits(geometry.clamp.y, geometry.clamp.height, picture.height);
  columns_ = media::make_taps(geometry.source.x, geometry.source.width, geometry.output.width, left, right,
                              geometry.flip);
  rows_ =
      media::make_taps(geometry.source.y, geometry.source.height, geometry.output.height, top, bottom, false);
}

void RgbWindow::cut(const std::uint8_t* rgb, media::Resampler& resampler, std::uint8_t* out) const {
  resampler.run(rgb, stride_, 0, 0, columns_, rows_, out);
}

Geometry scaled(Geometry geometry, Size from, Size to) {
  if (from == to) return geometry;
  const double x = static_cast<double>(to.width) / from.width;
  const double y = static_cast<double>(to.height) / from.height;
  for (Rect* rect : {&geometry.source, &geometry.clamp})
    *rect = {rect->x * x, rect->y * y, rect->width * x, rect->height * y};
  return geometry;
}

}  // namespace kinema::data
