#include "framework/flow/tvl1.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace kinema::flow {
namespace {

constexpr int kLeastSide = 16;

std::vector<Plane> pyramid(const Plane& picture, const TvL1Options& options) {
  std::vector<Plane> levels = {picture};
  while (static_cast<int>(levels.size()) < options.scales) {
    const Size last = levels.back().size;
    const auto smaller = [&](int side) {
      return static_cast<int>(std::lround(side * static_cast<double>(options.scale_step)));
    };
    const Size next{smaller(last.width), smaller(last.height)};
    if (next.width < kLeastSide || next.height < kLeastSide) break;
    levels.push_back(resized(levels.back(), next, 1 / static_cast<double>(options.scale_step)));
  }
  return levels;
}

// Half the difference of the two neighbours along x (dx = 1) or y; at a side that of pixel and neighbour.
Plane gradient(const Plane& plane, int dx) {
  const auto [width, height] = plane.size;
  Plane out(plane.size);
  for (int y = 0; y < height; ++y) {
    const float *above = plane.row(std::max(y - 1, 0)), *below = plane.row(std::min(y + 1, height - 1));
    const float* here = plane.row(y);
    float* to = out.row(y);
    for (int x = 0; x < width; ++x)
      to[x] = dx == 1 ? 0.5F * (here[std::min(x + 1, width - 1)] - here[std::max(x - 1, 0)])
                      : 0.5F * (below[x] - above[x]);
  }
  return out;
}

// Cubic convolution (Keys 1981) with a = -0.75.
std::array<float, 4> cubic_weights(float t) {
  constexpr float kA = -0.75F;
  const float s = 1 - t;
  std::array<float, 4> weights;
  weights[0] = ((kA * (t + 1) - 5 * kA) * (t + 1) + 8 * kA) * (t + 1) - 4 * kA;
  weights[1] = ((kA + 2) * t - (kA + 3)) * t * t + 1;
  weights[2] = ((kA + 2) * s - (kA + 3)) * s * s + 1;
  weights[3] = 1 - weights[0] - weights[1] - weights[2];
  return weights;
}

// The second picture and its gradient where the flow leads to; 0 outside.
struct Warped {
  Plane picture, dx, dy;
};

struct Place {
  int column, row;  // of the first of 4 x 4 pixels
  std::array<float, 4> across, along;
};

float sample(const Plane& plane, const Place& place) {
  const auto [width, height] = plane.size;
  const bool inside =
      place.column >= 0 && place.row >= 0 && place.column + 3 < width && place.row + 3 < height;
  float sum = 0;
  for (int j = 0; j < 4; ++j) {
    const int y = place.row + j;
    if (!inside && (y < 0 || y >= height)) continue;
    const float* row = plane.row(y);
    float part = 0;
    for (int i = 0; i < 4; ++i) {
      const int x = place.column + i;
      if (inside || (x >= 0 && x < width)) part += place.across[static_cast<std::size_t>(i)] * row[x];
    }
    sum += place.along[static_cast<std::size_t>(j)] * part;
  }
  return sum;
}

Warped warp(const Warped& second, const Field& flow) {
  const auto [width, height] = flow.size();
  Warped out{Plane(flow.size()), Plane(flow.size()), Plane(flow.size())};
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      // Far outside is as good as just outside, and fits an integer.
      const float to_x = std::clamp(static_cast<float>(x) + flow.right.row(y)[x], -8.0F, width + 8.0F);
      const float to_y = std::clamp(static_cast<float>(y) + flow.down.row(y)[x], -8.0F, height + 8.0F);
      const float left = std::floor(to_x), top = std::floor(to_y);
      const Place place{static_cast<int>(left) - 1, static_cast<int>(top) - 1, cubic_weights(to_x - left),
                        cubic_weights(to_y - top)};
      out.picture.row(y)[x] = sample(second.picture, place);
      out.dx.row(y)[x] = sample(second.dx, place);
      out.dy.row(y)[x] = sample(second.dy, place);
    }
  return out;
}

// The problem of one warp: the difference of the pictures as a linear function of the flow.
struct Linearised {
  Plane dx, dy;     // of the warped second picture
  Plane constant;   // of the difference
  Plane steepness;  // 1 / (dx^2 + dy^2)

  Linearised(const Plane& first, Warped warped, const Field& flow)
      : dx(std::move(warped.dx)), dy(std::move(warped.dy)), constant(first.size), steepness(first.size) {
    for (std::size_t i = 0; i < constant.values.size(); ++i) {
      const float x = dx.values[i], y = dy.values[i];
      constant.values[i] =
          warped.picture.values[i] - x * flow.right.values[i] - y * flow.down.values[i] - first.values[i];
      steepness.values[i] = 1 / std::max(x * x + y * y, std::numeric_limits<float>::epsilon());
    }
  }
};

// Dual variables of one component of the flow.
struct Dual {
  Plane x, y;
  explicit Dual(Size size) : x(size), y(size) {}
};

class Solver {
 public:
  Solver(Size size, const TvL1Options& options)
      : options_(options),
        right_(size),
        down_(size),
        divergence_(2 * static_cast<std::size_t>(size.width)),
        change_(static_cast<std::size_t>(size.width)),
        zeros_(static_cast<std::size_t>(size.width)) {}

  // One iteration; the mean square change of a pixel's vector.
  double iterate(const Linearised& problem, Field& flow) {
    const int height = flow.size().height;
    double sum = 0;
    // A row's dual variables are renewed as soon as nobody needs the old ones.
    for (int y = 0; y <= height; ++y) {
      if (y < height) sum += improve(problem, flow, y);
      if (y == 0) continue;
      renew(right_, flow.right, y - 1);
      renew(down_, flow.down, y - 1);
    }
    return sum / static_cast<double>(flow.right.values.size());
  }

 private:
  void diverge(const Dual& dual, int y, float* out) const {
    const int width = dual.x.size.width;
    const float *x = dual.x.row(y), *below = dual.y.row(y);
    const float* above = y > 0 ? dual.y.row(y - 1) : zeros_.data();
    out[0] = x[0] + below[0] - above[0];
    for (int i = 1; i < width; ++i) out[i] = x[i] - x[i - 1] + below[i] - above[i];
  }

  // Towards the data by thresholding, then towards smoothness along the dual variables.
  double improve(const Linearised& problem, Field& flow, int y) {
    const int width = flow.size().width;
    const float step = options_.lambda * options_.theta, theta = options_.theta;
    float* const smooth_right = divergence_.data();
    float* const smooth_down = smooth_right + width;
    diverge(right_, y, smooth_right);
    diverge(down_, y, smooth_down);
    const float *dx = problem.dx.row(y), *dy = problem.dy.row(y);
    const float *constant = problem.constant.row(y), *steepness = problem.steepness.row(y);
    float *right = flow.right.row(y), *down = flow.down.row(y);
    float* const change = change_.data();
    for (int x = 0; x < width; ++x) {
      const float difference = constant[x] + dx[x] * right[x] + dy[x] * down[x];
      const float move = std::min(std::max(-difference * steepness[x], -step), step);
      const float by_right = move * dx[x] + theta * smooth_right[x];
      const float by_down = move * dy[x] + theta * smooth_down[x];
      right[x] += by_right;
      down[x] += by_down;
      change[x] = by_right * by_right + by_down * by_down;
    }
    double sum = 0;
    for (int x = 0; x < width; ++x) sum += change[x];
    return sum;
  }

  void renew(Dual& dual, const Plane& component, int y) const {
    const auto [width, height] = component.size;
    const float pace = options_.tau / options_.theta;
    const float *here = component.row(y), *below = component.row(std::min(y + 1, height - 1));
    float *p = dual.x.row(y), *q = dual.y.row(y);
    const auto one = [&](int x, float dx) {
      const float dy = below[x] - here[x];
      const float norm = 1 / (1 + pace * std::sqrt(dx * dx + dy * dy));
      p[x] = (p[x] + pace * dx) * norm;
      q[x] = (q[x] + pace * dy) * norm;
    };
    for (int x = 0; x < width - 1; ++x) one(x, here[x + 1] - here[x]);
    one(width - 1, 0);
  }

  const TvL1Options& options_;
  Dual right_, down_;
  std::vector<float> divergence_, change_, zeros_;  // of a row
};

void refine(const Plane& first, const Plane& second, const TvL1Options& options, Field& flow) {
  const Warped picture{second, gradient(second, 1), gradient(second, 0)};
  Solver solver(first.size, options);
  const double enough = static_cast<double>(options.epsilon) * options.epsilon;
  for (int w = 0; w < options.warps; ++w) {
    const Linearised problem(first, warp(picture, flow), flow);
    double change = std::numeric_limits<double>::max();
    for (int outer = 0; outer < options.outer_iterations && change > enough; ++outer) {
      flow.right = median5(flow.right);
      flow.down = median5(flow.down);
      for (int inner = 0; inner < options.inner_iterations && change > enough; ++inner)
        change = solver.iterate(problem, flow);
    }
  }
}

}  // namespace

Field tv_l1(const Plane& first, const Plane& second, const TvL1Options& options) {
  const std::vector<Plane> a = pyramid(first, options), b = pyramid(second, options);
  Field flow(a.back().size);
  for (std::size_t level = a.size(); level-- > 0;) {
    if (flow.size() != a[level].size) flow = resized(flow, a[level].size, 1 / options.scale_step);
    refine(a[level], b[level], options, flow);
  }
  return flow;
}

}  // namespace kinema::flow
