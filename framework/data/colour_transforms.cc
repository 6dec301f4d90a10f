#include <algorithm>
#include <array>
#include <cmath>

#include "framework/data/transforms.h"

namespace kinema::data {
namespace {

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0l, 255l));
}

// ITU-R BT.601 luma.
double grey(const std::uint8_t* rgb) { return 0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]; }

double drawn_factor(double amount, Random& random) { return 1 + random.uniform(-amount, amount); }

// byte * factor + offset for every byte.
void map_bytes(std::uint8_t* data, std::int64_t count, double factor, double offset) {
  std::array<std::uint8_t, 256> table;
  for (int value = 0; value < 256; ++value)
    table[static_cast<std::size_t>(value)] = to_byte(value * factor + offset);
  for (std::int64_t i = 0; i < count; ++i) data[i] = table[data[i]];
}

}  // namespace

void scale_brightness(const PixelView& clip, double factor) { map_bytes(clip.data, clip.bytes(), factor, 0); }

void scale_contrast(const PixelView& clip, double factor) {
  const std::int64_t pixels = static_cast<std::int64_t>(clip.size.width) * clip.size.height;
  for (std::int64_t frame = 0; frame < clip.frames; ++frame) {
    std::uint8_t* data = clip.data + frame * pixels * 3;
    double sum = 0;
    for (std::int64_t i = 0; i < pixels; ++i) sum += grey(data + i * 3);
    map_bytes(data, pixels * 3, factor, (1 - factor) * sum / static_cast<double>(pixels));
  }
}

void scale_saturation(const PixelView& clip, double factor) {
  for (std::uint8_t* rgb = clip.data; rgb != clip.data + clip.bytes(); rgb += 3) {
    const double offset = (1 - factor) * grey(rgb);
    for (int c = 0; c < 3; ++c) rgb[c] = to_byte(rgb[c] * factor + offset);
  }
}

void Brightness::pixels(const PixelView& clip, Random& random) const {
  scale_brightness(clip, drawn_factor(amount, random));
}

void Contrast::pixels(const PixelView& clip, Random& random) const {
  scale_contrast(clip, drawn_factor(amount, random));
}

void Saturation::pixels(const PixelView& clip, Random& random) const {
  scale_saturation(clip, drawn_factor(amount, random));
}

}  // namespace kinema::data
