#include "framework/data/picture_ops.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace kinema::data {
namespace {

using Table = std::array<std::uint8_t, 256>;

constexpr std::uint8_t kOutside = 115;  // 0.45

std::uint8_t to_byte(double value) {
  return static_cast<std::uint8_t>(std::clamp(std::lround(value), 0L, 255L));
}

std::int64_t frame_pixels(const PixelView& clip) { return std::int64_t{clip.size.width} * clip.size.height; }

template <class Map>
void map_all(const PixelView& clip, Map map) {
  Table table;
  for (int value = 0; value < 256; ++value) table[static_cast<std::size_t>(value)] = to_byte(map(value));
  for (std::int64_t i = 0; i < clip.bytes(); ++i) clip.data[i] = table[clip.data[i]];
}

// `make` turns the histogram of one channel of one frame into a table.
template <class Make>
void map_by_histogram(const PixelView& clip, Make make) {
  const std::int64_t pixels = frame_pixels(clip);
  for (std::int64_t frame = 0; frame < clip.frames; ++frame)
    for (int channel = 0; channel < 3; ++channel) {
      std::uint8_t* data = clip.data + frame * pixels * 3 + channel;
      std::array<std::int64_t, 256> histogram{};
      for (std::int64_t i = 0; i < pixels; ++i) ++histogram[data[i * 3]];
      const Table table = make(histogram);
      for (std::int64_t i = 0; i < pixels; ++i) data[i * 3] = table[data[i * 3]];
    }
}

Table identity() {
  Table table;
  for (std::size_t i = 0; i < 256; ++i) table[i] = static_cast<std::uint8_t>(i);
  return table;
}

Table stretched(const std::array<std::int64_t, 256>& histogram) {
  std::size_t low = 0, high = 255;
  while (low < 255 && histogram[low] == 0) ++low;
  while (high > 0 && histogram[high] == 0) --high;
  Table table = identity();
  if (high <= low) return table;
  const double scale = 255.0 / static_cast<double>(high - low), offset = -static_cast<double>(low) * scale;
  for (std::size_t i = 0; i < 256; ++i)  // cut, not rounded, as there
    table[i] = static_cast<std::uint8_t>(std::clamp(static_cast<double>(i) * scale + offset, 0.0, 255.0));
  return table;
}

Table flattened(const std::array<std::int64_t, 256>& histogram) {
  std::int64_t sum = 0, last = 0, kinds = 0;
  for (const std::int64_t count : histogram)
    if (count > 0) {
      sum += count;
      last = count;
      ++kinds;
    }
  Table table = identity();
  const std::int64_t step = (sum - last) / 255;
  if (kinds <= 1 || step == 0) return table;
  std::int64_t n = step / 2;
  for (std::size_t i = 0; i < 256; ++i) {
    table[i] = static_cast<std::uint8_t>(std::min<std::int64_t>(255, n / step));
    n += histogram[i];
  }
  return table;
}

struct Frame {
  const std::uint8_t* data;
  Size size;
  const std::uint8_t* at(int x, int y) const { return data + (std::int64_t{y} * size.width + x) * 3; }
};

// Bilinear at a point whose pixel centres are whole numbers.
void sample(const Frame& in, double x, double y, std::uint8_t* out) {
  if (x < -0.5 || y < -0.5 || x >= in.size.width - 0.5 || y >= in.size.height - 0.5) {
    std::fill_n(out, 3, kOutside);
    return;
  }
  const int x0 = static_cast<int>(std::floor(x)), y0 = static_cast<int>(std::floor(y));
  const double fx = x - x0, fy = y - y0;
  const int left = std::max(x0, 0), right = std::min(x0 + 1, in.size.width - 1);
  const int top = std::max(y0, 0), bottom = std::min(y0 + 1, in.size.height - 1);
  for (int c = 0; c < 3; ++c) {
    const double upper = in.at(left, top)[c] * (1 - fx) + in.at(right, top)[c] * fx;
    const double lower = in.at(left, bottom)[c] * (1 - fx) + in.at(right, bottom)[c] * fx;
    out[c] = to_byte(upper * (1 - fy) + lower * fy);
  }
}

// Every frame of the clip from a copy of itself.
template <class Remake>
void remake_frames(const PixelView& clip, Remake remake) {
  const std::int64_t bytes = frame_pixels(clip) * 3;
  std::vector<std::uint8_t> copy(static_cast<std::size_t>(bytes));
  for (std::int64_t frame = 0; frame < clip.frames; ++frame) {
    std::uint8_t* data = clip.data + frame * bytes;
    std::copy_n(data, bytes, copy.data());
    remake(Frame{copy.data(), clip.size}, data);
  }
}

double smoothed(const Frame& in, int x, int y, int channel) {
  int sum = 4 * in.at(x, y)[channel];
  for (int dy = -1; dy <= 1; ++dy)
    for (int dx = -1; dx <= 1; ++dx) sum += in.at(x + dx, y + dy)[channel];
  return sum / 13.0;
}

}  // namespace

void invert(const PixelView& clip) {
  map_all(clip, [](int value) { return 255 - value; });
}
void autocontrast(const PixelView& clip) { map_by_histogram(clip, stretched); }
void equalise(const PixelView& clip) { map_by_histogram(clip, flattened); }

void posterise(const PixelView& clip, int bits) {
  const int mask = ~((1 << (8 - std::clamp(bits, 0, 8))) - 1);
  map_all(clip, [mask](int value) { return value & mask; });
}
void solarise(const PixelView& clip, int threshold) {
  map_all(clip, [threshold](int value) { return value < threshold ? value : 255 - value; });
}
void solarise_add(const PixelView& clip, int amount) {
  map_all(clip, [amount](int value) { return value < 128 ? std::min(255, value + amount) : value; });
}

void sharpen(const PixelView& clip, double factor) {
  remake_frames(clip, [&](const Frame& in, std::uint8_t* out) {
    for (int y = 1; y + 1 < in.size.height; ++y)
      for (int x = 1; x + 1 < in.size.width; ++x)
        for (int c = 0; c < 3; ++c) {
          const double smooth = std::round(smoothed(in, x, y, c));
          out[(std::int64_t{y} * in.size.width + x) * 3 + c] =
              to_byte(smooth + factor * (in.at(x, y)[c] - smooth));
        }
  });
}

void transform_affine(const PixelView& clip, const std::array<double, 6>& m) {
  remake_frames(clip, [&](const Frame& in, std::uint8_t* out) {
    for (int y = 0; y < in.size.height; ++y)
      for (int x = 0; x < in.size.width; ++x, out += 3) {
        const double cx = x + 0.5, cy = y + 0.5;
        sample(in, m[0] * cx + m[1] * cy + m[2] - 0.5, m[3] * cx + m[4] * cy + m[5] - 0.5, out);
      }
  });
}

void rotate(const PixelView& clip, double degrees) {
  const double angle = degrees * std::numbers::pi / 180;
  const double c = std::cos(angle), s = std::sin(angle);
  const double cx = clip.size.width / 2.0, cy = clip.size.height / 2.0;
  transform_affine(clip, {c, -s, cx - c * cx + s * cy, s, c, cy - s * cx - c * cy});
}

}  // namespace kinema::data
