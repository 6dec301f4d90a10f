#pragma once

#include "kinema/export.h"

namespace kinema {

struct Size {
  int width = 0;
  int height = 0;
  bool operator==(const Size&) const = default;
};

// Pixels; x to the right, y down. The centre of the first pixel is (0.5, 0.5).
struct Rect {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;
  bool operator==(const Rect&) const = default;
};

// Which window of a displayed frame (rotation applied, pixels as stored: the sample aspect ratio is not)
// becomes the output, as the composition of crops, resizes and flips. Output pixel (ox, oy) is the bilinear
// sample (half-pixel centres, no antialiasing) of the frame at
//   x = source.x + (ox + 0.5) * source.width / output.width - 0.5        (ox mirrored first when `flip`)
// and the same for y, where nothing outside `clamp` is read.
struct KINEMA_API Geometry {
  Rect source;
  Rect clamp;
  Size output;
  bool flip = false;

  // The whole frame as it is.
  static Geometry whole(Size frame);
  // Each step is in the coordinates of the output so far. resize() after crop() reads nothing outside the
  // crop, as cropping first would. Sizes below 1 and crops outside the output throw Error(data).
  void resize(Size size);
  void crop(int x, int y, Size size);
  void mirror() { flip = !flip; }

  bool operator==(const Geometry&) const = default;
};

}  // namespace kinema
