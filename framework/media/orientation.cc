#include "framework/media/orientation.h"

#include <cstdlib>

namespace kinema::media {

// The matrix [a b . c d . ...] moves stored (p, q) to displayed (a p + c q, b p + d q).
Orientation orientation_of(const std::int32_t* matrix) {
  const std::int64_t a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (std::llabs(a) + std::llabs(d) >= std::llabs(b) + std::llabs(c)) {
    return {.transpose = false, .flip_x = a < 0, .flip_y = d < 0};
  }
  return {.transpose = true, .flip_x = c < 0, .flip_y = b < 0};
}

int rotation_degrees(Orientation orientation) {
  if (!orientation.transpose) return orientation.flip_x && orientation.flip_y ? 180 : 0;
  return orientation.flip_x ? 90 : 270;
}

}  // namespace kinema::media
