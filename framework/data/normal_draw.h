#pragma once

#include <cmath>
#include <numbers>

#include "kinema/random.h"

namespace kinema::data {

// A draw of mean 0 and deviation 1: Box and Muller 1958.
inline double normal_draw(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

}  // namespace kinema::data
