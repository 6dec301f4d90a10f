#pragma once

#include <cstdint>

#include "kinema/geometry.h"

namespace kinema::media {

// How stored pixels become displayed ones: displayed(x, y) = stored(u, v) with (u, v) = (x, y), or (y, x)
// when `transpose`, where x and y are first counted from the other end when `flip_x` / `flip_y`.
struct Orientation {
  bool transpose = false;
  bool flip_x = false;
  bool flip_y = false;
  bool identity() const { return !transpose && !flip_x && !flip_y; }
  bool operator==(const Orientation&) const = default;
};

// From the nine numbers of a display matrix. Angles between quarter turns take the nearest one.
Orientation orientation_of(const std::int32_t* display_matrix);

// Clockwise turn that shows the stored frame upright: 0, 90, 180 or 270 (mirrors left out).
int rotation_degrees(Orientation orientation);

inline Size displayed_size(Size stored, Orientation orientation) {
  return orientation.transpose ? Size{stored.height, stored.width} : stored;
}

}  // namespace kinema::media
