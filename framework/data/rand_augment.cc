#include "framework/data/rand_augment.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "framework/data/normal_draw.h"
#include "framework/data/picture_ops.h"
#include "framework/data/transforms.h"

namespace kinema::data {
namespace {

using Operation = void (*)(const PixelView& clip, double level, int sign);  // level: magnitude / 10

// Enhancement factors: further from 1 the larger the level, either way.
double enhancement(double level, int sign) { return std::max(0.1, 1 + sign * 0.9 * level); }

constexpr Operation kOperations[] = {
    [](const PixelView& clip, double, int) { autocontrast(clip); },
    [](const PixelView& clip, double, int) { equalise(clip); },
    [](const PixelView& clip, double, int) { invert(clip); },
    [](const PixelView& clip, double level, int sign) { rotate(clip, sign * 30 * level); },
    [](const PixelView& clip, double level, int) { posterise(clip, 4 - static_cast<int>(4 * level)); },
    [](const PixelView& clip, double level, int) { solarise(clip, 256 - static_cast<int>(256 * level)); },
    [](const PixelView& clip, double level, int) { solarise_add(clip, static_cast<int>(110 * level)); },
    [](const PixelView& clip, double level, int sign) { scale_saturation(clip, enhancement(level, sign)); },
    [](const PixelView& clip, double level, int sign) { scale_contrast(clip, enhancement(level, sign)); },
    [](const PixelView& clip, double level, int sign) { scale_brightness(clip, enhancement(level, sign)); },
    [](const PixelView& clip, double level, int sign) { sharpen(clip, enhancement(level, sign)); },
    [](const PixelView& clip, double level, int sign) {
      transform_affine(clip, {1, sign * 0.3 * level, 0, 0, 1, 0});
    },
    [](const PixelView& clip, double level, int sign) {
      transform_affine(clip, {1, 0, 0, sign * 0.3 * level, 1, 0});
    },
    [](const PixelView& clip, double level, int sign) {
      transform_affine(clip, {1, 0, sign * 0.45 * level * clip.size.width, 0, 1, 0});
    },
    [](const PixelView& clip, double level, int sign) {
      transform_affine(clip, {1, 0, 0, 0, 1, sign * 0.45 * level * clip.size.height});
    },
};
static_assert(std::size(kOperations) == kRandAugmentOperations);

}  // namespace

void rand_augment_operation(const PixelView& clip, int operation, double magnitude, int sign) {
  kOperations[operation](clip, magnitude / 10, sign);
}

// Every draw is made whether it is used or not: one operation never changes what the next one draws.
void RandAugment::pixels(const PixelView& clip, Random& random) const {
  for (std::int64_t i = 0; i < operations; ++i) {
    const int operation = static_cast<int>(random.below(kRandAugmentOperations));
    const bool done = random.chance(0.5);
    const double drawn = std::clamp(magnitude + magnitude_std * normal_draw(random), 0.0, 10.0);
    const int sign = random.chance(0.5) ? 1 : -1;
    if (done) rand_augment_operation(clip, operation, drawn, sign);
  }
}

}  // namespace kinema::data
