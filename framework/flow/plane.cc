#include "framework/flow/plane.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace kinema::flow {
namespace {

struct Tap {
  int near, far;
  float weight;  // of `far`
};

std::vector<Tap> taps_of(int from, int to, double step) {
  std::vector<Tap> taps(static_cast<std::size_t>(to));
  for (int i = 0; i < to; ++i) {
    const double at = std::clamp((i + 0.5) * step - 0.5, 0.0, from - 1.0);
    const int near = static_cast<int>(at);
    taps[static_cast<std::size_t>(i)] = {near, std::min(near + 1, from - 1), static_cast<float>(at - near)};
  }
  return taps;
}

int mirrored(int i, int count) {
  if (count == 1) return 0;
  const int period = 2 * (count - 1);
  i = std::abs(i) % period;
  return i < count ? i : period - i;
}

// Pixels that are looked at together: their loops are as many vector instructions.
constexpr int kLanes = 16;
using Lanes = float[kLanes];

// The smallest of the first `count` goes to the front, the largest to the back.
void spread(Lanes* values, int count) {
  const auto order = [](Lanes& low, Lanes& high) {
    for (int i = 0; i < kLanes; ++i) {
      const float a = low[i], b = high[i];
      low[i] = std::min(a, b);
      high[i] = std::max(a, b);
    }
  };
  for (int i = 0; i < count / 2; ++i) order(values[i], values[count - 1 - i]);
  const int middle = (count + 1) / 2;
  for (int i = 1; i < middle; ++i) order(values[0], values[i]);
  for (int i = count / 2; i < count - 1; ++i) order(values[i], values[count - 1]);
}

// What is neither the largest nor the smallest of 14 of 25 values may still be their median, the two cannot:
// they are forgotten, another value is taken in.
void median_of_25(Lanes* values, float* out) {
  constexpr int kFirst = 14;
  int next = kFirst;
  for (int count = kFirst; count > 2; --count) {
    spread(values, count);
    // values[0] is forgotten by overwriting it, values[count - 1] by looking no further.
    if (next < 25) std::copy_n(values[next++], kLanes, values[0]);
  }
  std::copy_n(values[1], kLanes, out);
}

}  // namespace

Plane resized(const Plane& plane, Size size, double step) {
  const auto ratio = [step](int from, int to) { return step > 0 ? step : static_cast<double>(from) / to; };
  const std::vector<Tap> columns = taps_of(plane.size.width, size.width, ratio(plane.size.width, size.width));
  const std::vector<Tap> rows =
      taps_of(plane.size.height, size.height, ratio(plane.size.height, size.height));
  Plane out(size);
  for (int y = 0; y < size.height; ++y) {
    const Tap& v = rows[static_cast<std::size_t>(y)];
    const float *above = plane.row(v.near), *below = plane.row(v.far);
    float* to = out.row(y);
    for (int x = 0; x < size.width; ++x) {
      const Tap& h = columns[static_cast<std::size_t>(x)];
      const float top = above[h.near] + (above[h.far] - above[h.near]) * h.weight;
      const float bottom = below[h.near] + (below[h.far] - below[h.near]) * h.weight;
      to[x] = top + (bottom - top) * v.weight;
    }
  }
  return out;
}

Field resized(const Field& field, Size size, float scale) {
  Field out;
  out.right = resized(field.right, size);
  out.down = resized(field.down, size);
  for (float& value : out.right.values) value *= scale;
  for (float& value : out.down.values) value *= scale;
  return out;
}

Plane blurred(const Plane& plane, const std::vector<float>& kernel) {
  const int radius = static_cast<int>(kernel.size() / 2);
  const auto [width, height] = plane.size;
  Plane across(plane.size), out(plane.size);
  std::vector<float> padded(static_cast<std::size_t>(width + 2 * radius));
  for (int y = 0; y < height; ++y) {
    const float* from = plane.row(y);
    for (int x = -radius; x < width + radius; ++x)
      padded[static_cast<std::size_t>(x + radius)] = from[mirrored(x, width)];
    float* to = across.row(y);
    for (int k = 0; k <= 2 * radius; ++k) {
      const float weight = kernel[static_cast<std::size_t>(k)];
      const float* shifted = padded.data() + k;
      for (int x = 0; x < width; ++x) to[x] += weight * shifted[x];
    }
  }
  for (int y = 0; y < height; ++y) {
    float* to = out.row(y);
    for (int k = -radius; k <= radius; ++k) {
      const float weight = kernel[static_cast<std::size_t>(k + radius)];
      const float* from = across.row(mirrored(y + k, height));
      for (int x = 0; x < width; ++x) to[x] += weight * from[x];
    }
  }
  return out;
}

std::vector<float> gaussian_kernel(int radius, double sigma) {
  std::vector<double> weights;
  double sum = 0;
  for (int i = -radius; i <= radius; ++i) {
    weights.push_back(std::exp(-0.5 * i * i / (sigma * sigma)));
    sum += weights.back();
  }
  std::vector<float> kernel;
  for (const double weight : weights) kernel.push_back(static_cast<float>(weight / sum));
  return kernel;
}

Plane median5(const Plane& plane) {
  constexpr int kRadius = 2;
  const auto [width, height] = plane.size;
  // Rows with two more pixels on each side, and room for a whole last group of lanes.
  const int blocks = (width + kLanes - 1) / kLanes;
  const std::size_t stride = static_cast<std::size_t>(blocks * kLanes + 2 * kRadius);
  std::vector<float> padded(stride * static_cast<std::size_t>(height));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < static_cast<int>(stride); ++x)
      padded[static_cast<std::size_t>(y) * stride + static_cast<std::size_t>(x)] =
          plane.row(y)[std::clamp(x - kRadius, 0, width - 1)];
  Plane out(plane.size);
  Lanes values[25], middle;
  for (int y = 0; y < height; ++y)
    for (int block = 0; block < blocks; ++block) {
      for (int k = 0; k < 25; ++k) {
        const int from = std::clamp(y + k / 5 - kRadius, 0, height - 1);
        std::copy_n(padded.data() + static_cast<std::size_t>(from) * stride +
                        static_cast<std::size_t>(block * kLanes + k % 5),
                    kLanes, values[k]);
      }
      median_of_25(values, middle);
      std::copy_n(middle, std::min(kLanes, width - block * kLanes), out.row(y) + block * kLanes);
    }
  return out;
}

}  // namespace kinema::flow
