#pragma once

#include <cstdint>

#include "kinema/transform.h"

namespace kinema::data {

// Cubuk et al. 2020, "RandAugment", in the form that video recipes use (timm's rand-m<M>-n<N>-mstd<S>-inc1):
// N draws with replacement of one of 15 operations, each done with probability 0.5 at a magnitude drawn from
// N(M, S) and cut to 0..10. One draw for the whole clip: every frame gets the same. Bilinear where pixels
// move.
struct RandAugment final : Transform {
  std::int64_t operations = 2;
  double magnitude = 9;
  double magnitude_std = 0.5;
  void pixels(const PixelView& clip, Random& random) const override;
};

constexpr int kRandAugmentOperations = 15;
// One operation at a magnitude of 0..10; `sign` -1 or 1 where it has a direction. For tests.
void rand_augment_operation(const PixelView& clip, int operation, double magnitude, int sign);

}  // namespace kinema::data
