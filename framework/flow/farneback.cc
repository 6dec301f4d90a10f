#include "framework/flow/farneback.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kinema::flow {
namespace {

constexpr double kLeastSide = 32;

// Around each pixel: value = ... + x * X + y * Y + xx * X^2 + yy * Y^2 + xy * X * Y.
struct Expansion {
  Plane x, y, xx, yy, xy;
  explicit Expansion(Size size) : x(size), y(size), xx(size), yy(size), xy(size) {}
};

// The fit under Gaussian weights: products of the picture with 1, t and t^2 along both axes, and the few
// numbers of the inverse of their Gram matrix that are not 0.
struct Fit {
  std::vector<float> one, t, tt;            // weights times 1, t, t^2; from -radius on
  float linear, square_one, square, cross;  // of the inverse

  Fit(int radius, double sigma) {
    std::vector<double> weights;
    double sum = 0;
    for (int i = -radius; i <= radius; ++i) {
      weights.push_back(std::exp(-i * i / (2 * sigma * sigma)));
      sum += weights.back();
    }
    double second = 0, fourth = 0;  // moments
    for (int i = -radius; i <= radius; ++i) {
      const double weight = weights[static_cast<std::size_t>(i + radius)] / sum;
      one.push_back(static_cast<float>(weight));
      t.push_back(static_cast<float>(weight * i));
      tt.push_back(static_cast<float>(weight * i * i));
      second += weight * i * i;
      fourth += weight * i * i * i * i;
    }
    // The Gram matrix of (1, xx, yy) is [[1, b, b], [b, d, b^2], [b, b^2, d]].
    const double spread = fourth - second * second;
    linear = static_cast<float>(1 / second);
    square = static_cast<float>(1 / spread);
    square_one = static_cast<float>(-second / spread);
    cross = static_cast<float>(1 / (second * second));
  }
};

Expansion expand(const Plane& picture, const Fit& fit) {
  const auto [width, height] = picture.size;
  const int radius = static_cast<int>(fit.one.size() / 2);
  const auto padded_width = static_cast<std::size_t>(width + 2 * radius);
  Expansion out(picture.size);
  std::array<std::vector<float>, 3> along;  // products with 1, y, y^2 of a row, padded by its outermost
  for (auto& row : along) row.resize(padded_width);
  for (int y = 0; y < height; ++y) {
    for (auto& row : along) std::fill(row.begin(), row.end(), 0.0F);
    for (int k = -radius; k <= radius; ++k) {
      const float* from = picture.row(std::clamp(y + k, 0, height - 1));
      const auto w = static_cast<std::size_t>(k + radius);
      float *p0 = along[0].data() + radius, *p1 = along[1].data() + radius, *p2 = along[2].data() + radius;
      for (int x = 0; x < width; ++x) {
        p0[x] += fit.one[w] * from[x];
        p1[x] += fit.t[w] * from[x];
        p2[x] += fit.tt[w] * from[x];
      }
    }
    for (auto& row : along) {
      std::fill_n(row.begin(), radius, row[static_cast<std::size_t>(radius)]);
      std::fill_n(row.end() - radius, radius, row[padded_width - static_cast<std::size_t>(radius) - 1]);
    }
    for (int x = 0; x < width; ++x) {
      float m1 = 0, mx = 0, my = 0, mxx = 0, myy = 0, mxy = 0;
      for (std::size_t k = 0; k < fit.one.size(); ++k) {
        const std::size_t i = static_cast<std::size_t>(x) + k;
        m1 += fit.one[k] * along[0][i];
        mx += fit.t[k] * along[0][i];
        mxx += fit.tt[k] * along[0][i];
        my += fit.one[k] * along[1][i];
        mxy += fit.t[k] * along[1][i];
        myy += fit.one[k] * along[2][i];
      }
      out.x.row(y)[x] = mx * fit.linear;
      out.y.row(y)[x] = my * fit.linear;
      out.xx.row(y)[x] = m1 * fit.square_one + mxx * fit.square;
      out.yy.row(y)[x] = m1 * fit.square_one + myy * fit.square;
      out.xy.row(y)[x] = mxy * fit.cross;
    }
  }
  return out;
}

// What each pixel says about the displacement d: [[xx, xy], [xy, yy]] d = (x, y).
struct Equations {
  Plane xx, xy, yy, x, y;
  explicit Equations(Size size) : xx(size), xy(size), yy(size), x(size), y(size) {}
};

// Pixels near a side say less.
float trust(int at, int count) {
  static constexpr std::array<float, 5> kNearSide = {0.14F, 0.14F, 0.4472F, 0.4472F, 0.4472F};
  const int from_side = std::min(at, count - 1 - at);
  return from_side < 5 ? kNearSide[static_cast<std::size_t>(from_side)] : 1.0F;
}

// Between four pixels of a plane.
struct Corner {
  int x, y;
  float a00, a01, a10, a11;
  float of(const Plane& plane) const {
    const float *above = plane.row(y) + x, *below = plane.row(y + 1) + x;
    return a00 * above[0] + a01 * above[1] + a10 * below[0] + a11 * below[1];
  }
};

void set_up(const Expansion& first, const Expansion& second, const Field& flow, Equations& out) {
  const auto [width, height] = flow.size();
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const float dx = flow.right.row(y)[x], dy = flow.down.row(y)[x];
      const float to_x = static_cast<float>(x) + dx, to_y = static_cast<float>(y) + dy;
      const float left = std::floor(to_x), top = std::floor(to_y);
      float xx = first.xx.row(y)[x], yy = first.yy.row(y)[x], xy = 0.5F * first.xy.row(y)[x];
      float b_x = first.x.row(y)[x], b_y = first.y.row(y)[x];
      if (left >= 0 && top >= 0 && left < static_cast<float>(width - 1) &&
          top < static_cast<float>(height - 1)) {
        const float u = to_x - left, v = to_y - top;
        const Corner at{static_cast<int>(left),
                        static_cast<int>(top),
                        (1 - u) * (1 - v),
                        u * (1 - v),
                        (1 - u) * v,
                        u * v};
        xx = 0.5F * (xx + at.of(second.xx));
        yy = 0.5F * (yy + at.of(second.yy));
        xy = 0.5F * (xy + 0.5F * at.of(second.xy));
        b_x -= at.of(second.x);
        b_y -= at.of(second.y);
      }
      const float weight = trust(x, width) * trust(y, height);
      const float r_x = weight * (0.5F * b_x + xx * dx + xy * dy);
      const float r_y = weight * (0.5F * b_y + xy * dx + yy * dy);
      xx *= weight, yy *= weight, xy *= weight;
      out.xx.row(y)[x] = xx * xx + xy * xy;
      out.xy.row(y)[x] = (xx + yy) * xy;
      out.yy.row(y)[x] = yy * yy + xy * xy;
      out.x.row(y)[x] = xx * r_x + xy * r_y;
      out.y.row(y)[x] = xy * r_x + yy * r_y;
    }
}

// Mean over a square; what lies outside is the nearest pixel. Sums in double: a running one loses no digits.
Plane box_mean(const Plane& plane, int side) {
  const auto [width, height] = plane.size;
  const int radius = side / 2;
  const double share = 1.0 / (static_cast<double>(2 * radius + 1) * (2 * radius + 1));
  std::vector<double> column(static_cast<std::size_t>(width), 0.0);
  const auto row_at = [&](int y) { return plane.row(std::clamp(y, 0, height - 1)); };
  for (int k = -radius; k <= radius; ++k)
    for (int x = 0; x < width; ++x) column[static_cast<std::size_t>(x)] += row_at(k)[x];
  Plane out(plane.size);
  for (int y = 0; y < height; ++y) {
    const auto at = [&](int x) { return column[static_cast<std::size_t>(std::clamp(x, 0, width - 1))]; };
    double sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += at(k);
    for (int x = 0; x < width; ++x) {
      out.row(y)[x] = static_cast<float>(sum * share);
      sum += at(x + radius + 1) - at(x - radius);
    }
    const float *next = row_at(y + radius + 1), *gone = row_at(y - radius);
    for (int x = 0; x < width; ++x)
      column[static_cast<std::size_t>(x)] += static_cast<double>(next[x]) - gone[x];
  }
  return out;
}

// The least squares solution within each window.
void solve(const Equations& equations, int window, Field& flow) {
  const Plane xx = box_mean(equations.xx, window), xy = box_mean(equations.xy, window),
              yy = box_mean(equations.yy, window), x = box_mean(equations.x, window),
              y = box_mean(equations.y, window);
  constexpr float kNoMotion = 1e-3F;  // where nothing is seen, nothing moves
  for (std::size_t i = 0; i < xx.values.size(); ++i) {
    const float scale = 1 / (xx.values[i] * yy.values[i] - xy.values[i] * xy.values[i] + kNoMotion);
    flow.right.values[i] = (yy.values[i] * x.values[i] - xy.values[i] * y.values[i]) * scale;
    flow.down.values[i] = (xx.values[i] * y.values[i] - xy.values[i] * x.values[i]) * scale;
  }
}

// A level of the pyramid, from the picture itself: smoothed, then resized.
Plane level_of(const Plane& picture, Size size, double scale) {
  const double sigma = (1 / scale - 1) * 0.5;
  const int radius = std::max(1, static_cast<int>(std::lround(sigma * 5)) / 2);
  return resized(
      blurred(picture, sigma > 0 ? gaussian_kernel(radius, sigma) : std::vector<float>{0.25F, 0.5F, 0.25F}),
      size);
}

}  // namespace

Field farneback(const Plane& first, const Plane& second, const FarnebackOptions& options) {
  const auto [width, height] = first.size;
  int coarsest = 0;
  double scale = 1;
  while (coarsest < options.levels && std::min(width, height) * scale * options.scale_step >= kLeastSide) {
    scale *= options.scale_step;
    ++coarsest;
  }
  const Fit fit(options.radius, options.sigma);
  Field flow;
  for (int level = coarsest; level >= 0; --level, scale /= options.scale_step) {
    const auto scaled = [&](int side) { return std::max(1, static_cast<int>(std::lround(side * scale))); };
    const Size size{scaled(width), scaled(height)};
    flow = level == coarsest ? Field(size) : resized(flow, size, static_cast<float>(1 / options.scale_step));
    const Expansion a = expand(level_of(first, size, scale), fit);
    const Expansion b = expand(level_of(second, size, scale), fit);
    Equations equations(size);
    for (int i = 0; i < options.iterations; ++i) {
      set_up(a, b, flow, equations);
      solve(equations, options.window, flow);
    }
  }
  return flow;
}

}  // namespace kinema::flow
