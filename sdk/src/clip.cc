#include "kinema/clip.h"

#include <algorithm>

namespace kinema {

void ClipPlan::resize(Size size) {
  const Size before = geometry.output;
  geometry.resize(size);
  const double scale_x = static_cast<double>(size.width) / before.width;
  const double scale_y = static_cast<double>(size.height) / before.height;
  for (Box& box : boxes) box = {box.x1 * scale_x, box.y1 * scale_y, box.x2 * scale_x, box.y2 * scale_y};
}

void ClipPlan::crop(int x, int y, Size size) {
  geometry.crop(x, y, size);
  const double width = size.width, height = size.height;
  for (Box& box : boxes)
    box = {std::clamp(box.x1 - x, 0.0, width), std::clamp(box.y1 - y, 0.0, height),
           std::clamp(box.x2 - x, 0.0, width), std::clamp(box.y2 - y, 0.0, height)};
}

void ClipPlan::mirror() {
  geometry.mirror();
  const double width = geometry.output.width;
  for (Box& box : boxes) box = {width - box.x2, box.y1, width - box.x1, box.y2};
}

}  // namespace kinema
