#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "framework/flow/plane.h"
#include "kinema/random.h"

// Pairs of pictures made by formulas, the same as in tests/golden/flow/make_expected.py, and their motion.
namespace kinema::test {

inline constexpr Size kMadeSize = {80, 64};

// Twelve waves of 6 to 30 pixels in drawn directions.
inline double texture(std::uint64_t seed, double x, double y) {
  Random random(seed);
  double value = 127.5;
  for (int k = 0; k < 12; ++k) {
    const double length = 6 + 24 * random.uniform(), angle = 2 * M_PI * random.uniform(),
                 phase = 2 * M_PI * random.uniform();
    const double turn = 2 * M_PI / length;
    value += 20 * std::cos(turn * std::cos(angle) * x + turn * std::sin(angle) * y + phase);
  }
  return value;
}

struct MadeClip {
  std::string name;
  double (*first)(double x, double y);
  double (*second)(double x, double y);
  std::pair<double, double> (*motion)(double x, double y);  // of the pixel in the first picture
};

inline double layered(double x, double y, double t) {
  const double dx = x - 38 - 2.5 * t, dy = y - 30 - 1.5 * t;
  return dx * dx + dy * dy <= 18.0 * 18.0 ? texture(4, x - 2.5 * t, y - 1.5 * t)
                                          : texture(3, x + t, y - 0.5 * t);
}

inline constexpr double kTurn = 3 * M_PI / 180;

inline const MadeClip kMadeClips[] = {
    {"shift", [](double x, double y) { return texture(1, x, y); },
     [](double x, double y) { return texture(1, x - 1.7, y + 0.8); },
     [](double, double) {
       return std::pair{1.7, -0.8};
     }},
    {"rotation", [](double x, double y) { return texture(2, x, y); },
     [](double x, double y) {
       return texture(2, 39.5 + std::cos(kTurn) * (x - 39.5) + std::sin(kTurn) * (y - 31.5),
                      31.5 - std::sin(kTurn) * (x - 39.5) + std::cos(kTurn) * (y - 31.5));
     },
     [](double x, double y) {
       return std::pair{39.5 + std::cos(kTurn) * (x - 39.5) - std::sin(kTurn) * (y - 31.5) - x,
                        31.5 + std::sin(kTurn) * (x - 39.5) + std::cos(kTurn) * (y - 31.5) - y};
     }},
    {"layers", [](double x, double y) { return layered(x, y, 0); },
     [](double x, double y) { return layered(x, y, 1); },
     [](double x, double y) {
       const bool disc = (x - 38) * (x - 38) + (y - 30) * (y - 30) <= 18.0 * 18.0;
       return disc ? std::pair{2.5, 1.5} : std::pair{-1.0, 0.5};
     }},
};

inline flow::Plane made_picture(double (*formula)(double, double), Size size = kMadeSize) {
  flow::Plane plane(size);
  for (int y = 0; y < size.height; ++y)
    for (int x = 0; x < size.width; ++x)
      plane.row(y)[x] = static_cast<float>(std::floor(std::clamp(formula(x, y), 0.0, 255.0) + 0.5));
  return plane;
}

}  // namespace kinema::test
