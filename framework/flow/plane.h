#pragma once

#include <cstddef>
#include <vector>

#include "kinema/geometry.h"

// Optical flow between two grey pictures. Everything here is a plain function of its input: the same numbers
// on every machine and for any number of threads around it.
namespace kinema::flow {

// One float a pixel, row after row.
struct Plane {
  Size size;
  std::vector<float> values;

  Plane() = default;
  explicit Plane(Size size, float value = 0)
      : size(size),
        values(static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height), value) {}
  float* row(int y) { return values.data() + static_cast<std::ptrdiff_t>(y) * size.width; }
  const float* row(int y) const { return values.data() + static_cast<std::ptrdiff_t>(y) * size.width; }
};

// How far each pixel of the first picture moves until the second one, in pixels.
struct Field {
  Plane right, down;

  Field() = default;
  explicit Field(Size size) : right(size), down(size) {}
  Size size() const { return right.size; }
};

// Bilinear: output pixel i samples (i + 0.5) * step - 0.5; what lies outside is the nearest pixel. A step of
// 0 is the ratio of the sizes.
Plane resized(const Plane& plane, Size size, double step = 0);
Field resized(const Field& field, Size size, float scale);  // vectors times `scale`

// With a separable kernel of 2 * radius + 1 weights; what lies outside is mirrored at the outermost pixel.
Plane blurred(const Plane& plane, const std::vector<float>& kernel);
// Gaussian weights that sum to 1.
std::vector<float> gaussian_kernel(int radius, double sigma);

// Of the 5 x 5 pixels around each; what lies outside is the nearest pixel.
Plane median5(const Plane& plane);

}  // namespace kinema::flow
