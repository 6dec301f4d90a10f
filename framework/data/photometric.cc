#include "framework/data/photometric.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "framework/data/normal_draw.h"
#include "framework/data/transforms.h"

namespace kinema::data {
namespace {

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

// Hue in [0, 6), saturation and value in [0, 1]: Smith 1978.
struct Hsv {
  double hue = 0, saturation = 0, value = 0;
};

Hsv to_hsv(const std::uint8_t* rgb) {
  const double r = rgb[0] / 255.0, g = rgb[1] / 255.0, b = rgb[2] / 255.0;
  const double high = std::max({r, g, b}), spread = high - std::min({r, g, b});
  if (spread == 0) return {0, 0, high};
  const double hue = high == r ? (g - b) / spread : high == g ? 2 + (b - r) / spread : 4 + (r - g) / spread;
  return {hue < 0 ? hue + 6 : hue, spread / high, high};
}

void from_hsv(const Hsv& hsv, std::uint8_t* rgb) {
  for (int c = 0; c < 3; ++c) {
    const double at = std::fmod(5 - 2.0 * c + hsv.hue, 6.0);
    rgb[c] = to_byte(255 * hsv.value * (1 - hsv.saturation * std::max(0.0, std::min({at, 4 - at, 1.0}))));
  }
}

double drawn_factor(double amount, Random& random) { return 1 + random.uniform(-amount, amount); }

struct Window {
  int x, y;
  Size size;
};

std::optional<Window> drawn_window(const RandomErasing& o, Size frame, Random& random) {
  constexpr int kTries = 10;
  for (int i = 0; i < kTries; ++i) {
    const double fraction = random.uniform(o.area[0], o.area[1]);
    const double log_aspect = random.uniform(std::log(o.aspect[0]), std::log(o.aspect[1]));
    const std::optional<Size> size = resized_crop_window(frame, fraction, log_aspect);
    if (!size) continue;
    const auto offset = [&](int room) {
      return static_cast<int>(random.below(static_cast<std::uint64_t>(room) + 1));
    };
    const int y = offset(frame.height - size->height);
    return Window{offset(frame.width - size->width), y, *size};
  }
  return std::nullopt;
}

// The bytes of one row-major window.
std::vector<std::uint8_t> filling(RandomErasing::Fill fill, Size size, Random& random) {
  const std::size_t count = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height) * 3;
  if (fill == RandomErasing::Fill::black) return std::vector<std::uint8_t>(count, 0);
  std::vector<std::uint8_t> bytes(count, to_byte(0.45 * 255));
  if (fill == RandomErasing::Fill::noise)
    for (std::uint8_t& byte : bytes) byte = to_byte(255 * (0.45 + 0.225 * normal_draw(random)));
  return bytes;
}

}  // namespace

void turn_hue(const PixelView& clip, double turn) {
  for (std::uint8_t* rgb = clip.data; rgb != clip.data + clip.bytes(); rgb += 3) {
    Hsv hsv = to_hsv(rgb);
    hsv.hue = std::fmod(hsv.hue + 6 * turn + 6, 6.0);
    from_hsv(hsv, rgb);
  }
}

void to_grey(const PixelView& clip) {
  for (std::uint8_t* rgb = clip.data; rgb != clip.data + clip.bytes(); rgb += 3)
    rgb[0] = rgb[1] = rgb[2] = to_byte(0.299 * rgb[0] + 0.587 * rgb[1] + 0.114 * rgb[2]);
}

void shift_channels(const PixelView& clip, const std::array<double, 3>& shift) {
  std::array<std::array<std::uint8_t, 256>, 3> table;
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t value = 0; value < 256; ++value)
      table[c][value] = to_byte(static_cast<double>(value) + 255 * shift[c]);
  for (std::int64_t i = 0; i < clip.bytes(); ++i)
    clip.data[i] = table[static_cast<std::size_t>(i % 3)][clip.data[i]];
}

std::array<double, 3> lighting_shift(const std::array<double, 3>& draws,
                                     const std::vector<double>& eigenvalues) {
  // Rows: red, green, blue; columns: components.
  constexpr double kVectors[3][3] = {
      {-0.5675, 0.7192, 0.4009}, {-0.5808, -0.0045, -0.8140}, {-0.5836, -0.6948, 0.4203}};
  std::array<double, 3> shift = {0, 0, 0};
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t k = 0; k < 3; ++k) shift[c] += kVectors[c][k] * draws[k] * eigenvalues[k];
  return shift;
}

void ColourJitter::pixels(const PixelView& clip, Random& random) const {
  std::array<int, 4> order = {0, 1, 2, 3};
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  for (const int step : order) {
    if (step == 0 && brightness > 0) scale_brightness(clip, drawn_factor(brightness, random));
    if (step == 1 && contrast > 0) scale_contrast(clip, drawn_factor(contrast, random));
    if (step == 2 && saturation > 0) scale_saturation(clip, drawn_factor(saturation, random));
    if (step == 3 && hue > 0) turn_hue(clip, random.uniform(-hue, hue));
  }
}

void Greyscale::pixels(const PixelView& clip, Random& random) const {
  if (random.chance(probability)) to_grey(clip);
}

void Lighting::pixels(const PixelView& clip, Random& random) const {
  std::array<double, 3> draws;
  for (double& draw : draws) draw = amount * normal_draw(random);
  shift_channels(clip, lighting_shift(draws, eigenvalues));
}

void RandomErasing::pixels(const PixelView& clip, Random& random) const {
  if (!random.chance(probability)) return;
  const std::optional<Window> window = drawn_window(*this, clip.size, random);
  if (!window) return;
  const std::vector<std::uint8_t> bytes = filling(fill, window->size, random);
  const std::int64_t row = std::int64_t{3} * window->size.width;
  for (std::int64_t frame = 0; frame < clip.frames; ++frame)
    for (std::int64_t y = 0; y < window->size.height; ++y) {
      const std::int64_t line = frame * clip.size.height + window->y + y;
      std::copy_n(bytes.data() + y * row, row, clip.data + (line * clip.size.width + window->x) * 3);
    }
}

}  // namespace kinema::data
