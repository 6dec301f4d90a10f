#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "kinema/transform.h"

// Augmentations of values: once a clip, the same for all of its frames.
namespace kinema::data {

// Brightness, contrast, saturation and hue in a drawn order. A factor lies in [1 - x, 1 + x]; the hue turns
// by up to that share of the circle, either way. 0: that part is left out.
struct ColourJitter final : Transform {
  double brightness = 0.4, contrast = 0.4, saturation = 0.4, hue = 0;
  void pixels(const PixelView& clip, Random& random) const override;
};

// To grey (ITU-R BT.601) in three equal channels, with a probability.
struct Greyscale final : Transform {
  double probability = 0.2;
  void pixels(const PixelView& clip, Random& random) const override;
};

// Krizhevsky et al. 2012: along the principal components of ImageNet's colours, each by a normal draw of
// deviation `amount` times its eigenvalue.
struct Lighting final : Transform {
  double amount = 0.1;
  std::vector<double> eigenvalues = {0.225, 0.224, 0.229};
  void pixels(const PixelView& clip, Random& random) const override;
};

// Zhong et al. 2020, "Random Erasing Data Augmentation": a window of drawn area and shape, the same in each
// frame, becomes noise of mean 0.45 and deviation 0.225 (drawn once, the same in each frame) or one value.
struct RandomErasing final : Transform {
  enum class Fill { noise, grey, black };
  double probability = 0.25;
  std::vector<double> area = {0.02, 1.0 / 3};
  std::vector<double> aspect = {0.3, 1 / 0.3};
  Fill fill = Fill::noise;
  void pixels(const PixelView& clip, Random& random) const override;
};

// The arithmetic for given draws, for tests.
void turn_hue(const PixelView& clip, double turn);  // of the circle: 0.5 is the complement
void to_grey(const PixelView& clip);
// Adds a shift in 0..1 to each channel.
void shift_channels(const PixelView& clip, const std::array<double, 3>& shift);
std::array<double, 3> lighting_shift(const std::array<double, 3>& draws,
                                     const std::vector<double>& eigenvalues);

}  // namespace kinema::data
