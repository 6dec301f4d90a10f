#pragma once

#include "framework/flow/plane.h"

namespace kinema::flow {

// The numbers of the method, as the arguments of OpenCV's calcOpticalFlowFarneback; the defaults are those of
// its tutorial.
struct FarnebackOptions {
  double scale_step = 0.5;  // of the pyramid
  int levels = 3;           // besides the pictures themselves; those of a side below 32 are left out
  int window = 15;          // side of the square in which the motion counts as one
  int iterations = 3;       // on each level
  int radius = 5;           // pixels on each side that a polynomial is fitted to (OpenCV: poly_n)
  double sigma = 1.2;       // of the fit's Gaussian weights
};

// Optical flow of two pictures of one size by polynomial expansion: around each pixel a quadratic polynomial
// is fitted, and the displacement is what makes those of the two pictures agree within a window. Farneback
// 2003, "Two-frame motion estimation based on polynomial expansion".
Field farneback(const Plane& first, const Plane& second, const FarnebackOptions& options = {});

}  // namespace kinema::flow
