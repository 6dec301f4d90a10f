#include "kinema/geometry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema {
namespace {

struct Point {
  double x, y;
};

// Where an output pixel's centre lies in the frame, step by step: each step maps a point of its output to a
// point of its input. Centres are at +0.5.
class StepByStep {
 public:
  explicit StepByStep(Size frame) : size_(frame) {}

  void resize(Size size) {
    const double scale_x = static_cast<double>(size_.width) / size.width;
    const double scale_y = static_cast<double>(size_.height) / size.height;
    steps_.push_back([=](Point p) { return Point{p.x * scale_x, p.y * scale_y}; });
    size_ = size;
  }
  void crop(int x, int y, Size size) {
    steps_.push_back([=](Point p) { return Point{p.x + x, p.y + y}; });
    size_ = size;
  }
  void mirror() {
    steps_.push_back([width = size_.width](Point p) { return Point{width - p.x, p.y}; });
  }
  Size size() const { return size_; }
  Point in_frame(int ox, int oy) const {
    Point point{ox + 0.5, oy + 0.5};
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) point = (*step)(point);
    return point;
  }

 private:
  Size size_;
  std::vector<std::function<Point(Point)>> steps_;
};

// The formula of the header, at pixel centres.
Point by_formula(const Geometry& geometry, int ox, int oy) {
  if (geometry.flip) ox = geometry.output.width - 1 - ox;
  return {geometry.source.x + (ox + 0.5) * geometry.source.width / geometry.output.width,
          geometry.source.y + (oy + 0.5) * geometry.source.height / geometry.output.height};
}

int between(Random& random, int low, int high) {
  return low + static_cast<int>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

TEST(geometry, any_chain_of_steps_maps_pixels_as_the_steps_one_by_one_do) {
  for (std::uint64_t trial = 0; trial < 300; ++trial) {
    Random random(1, 0, trial, "geometry");
    const Size frame{between(random, 1, 400), between(random, 1, 300)};
    Geometry geometry = Geometry::whole(frame);
    StepByStep steps(frame);
    for (int i = between(random, 1, 7); i > 0; --i) {
      const Size now = geometry.output;
      const auto kind = random.below(3);
      if (kind == 0) {
        const Size size{between(random, 1, 300), between(random, 1, 300)};
        geometry.resize(size);
        steps.resize(size);
      } else if (kind == 1) {
        const Size size{between(random, 1, now.width), between(random, 1, now.height)};
        const int x = between(random, 0, now.width - size.width);
        const int y = between(random, 0, now.height - size.height);
        geometry.crop(x, y, size);
        steps.crop(x, y, size);
      } else {
        geometry.mirror();
        steps.mirror();
      }
    }
    ASSERT_EQ(geometry.output, steps.size());
    const int last_x = geometry.output.width - 1, last_y = geometry.output.height - 1;
    for (const auto& [ox, oy] :
         {std::pair(0, 0), {last_x, 0}, {0, last_y}, {last_x, last_y}, {last_x / 2, last_y / 3}}) {
      const Point expected = steps.in_frame(ox, oy), actual = by_formula(geometry, ox, oy);
      ASSERT_NEAR(actual.x, expected.x, 1e-6) << "trial " << trial;
      ASSERT_NEAR(actual.y, expected.y, 1e-6) << "trial " << trial;
    }
    ASSERT_GE(geometry.clamp.x, 0);
    ASSERT_LE(geometry.clamp.x + geometry.clamp.width, frame.width + 1e-6);
  }
}

// Bilinear, half-pixel centres, one row; reads nothing outside [low, high).
double sample(const std::vector<double>& row, double x, int low, int high) {
  const double left = std::floor(x);
  const auto at = [&](double i) {
    return row[static_cast<std::size_t>(std::clamp(static_cast<int>(i), low, high - 1))];
  };
  return at(left) * (1 - (x - left)) + at(left + 1) * (x - left);
}

std::vector<double> resized(const std::vector<double>& row, int width) {
  std::vector<double> result;
  for (int i = 0; i < width; ++i)
    result.push_back(sample(row, (i + 0.5) * static_cast<double>(row.size()) / width - 0.5, 0,
                            static_cast<int>(row.size())));
  return result;
}

std::vector<double> by_geometry(const std::vector<double>& row, const Geometry& geometry) {
  std::vector<double> result;
  for (int i = 0; i < geometry.output.width; ++i) {
    const int ox = geometry.flip ? geometry.output.width - 1 - i : i;
    const double x = geometry.source.x + (ox + 0.5) * geometry.source.width / geometry.output.width - 0.5;
    result.push_back(sample(row, x, static_cast<int>(geometry.clamp.x),
                            static_cast<int>(geometry.clamp.x + geometry.clamp.width)));
  }
  return result;
}

std::vector<double> random_row(int width) {
  Random random(1, 0, 0, "row");
  std::vector<double> row;
  for (int i = 0; i < width; ++i) row.push_back(random.uniform(0, 255));
  return row;
}

TEST(geometry, a_crop_after_a_resize_gives_the_pixels_of_the_two_steps) {
  const auto row = random_row(97);
  Geometry geometry = Geometry::whole({97, 1});
  geometry.resize({61, 1});
  geometry.crop(9, 0, {40, 1});
  const auto whole = resized(row, 61);
  EXPECT_THAT(by_geometry(row, geometry),
              testing::Pointwise(testing::DoubleNear(1e-6),
                                 std::vector<double>(whole.begin() + 9, whole.begin() + 49)));
}

TEST(geometry, a_resize_after_a_crop_reads_nothing_outside_the_crop) {
  const auto row = random_row(97);
  Geometry geometry = Geometry::whole({97, 1});
  geometry.crop(20, 0, {30, 1});
  geometry.resize({90, 1});
  geometry.mirror();
  auto expected = resized(std::vector<double>(row.begin() + 20, row.begin() + 50), 90);
  std::reverse(expected.begin(), expected.end());
  EXPECT_THAT(by_geometry(row, geometry), testing::Pointwise(testing::DoubleNear(1e-6), expected));
}

TEST(geometry, a_crop_after_mirroring_is_of_the_mirrored_picture) {
  Geometry geometry = Geometry::whole({10, 4});
  geometry.mirror();
  geometry.crop(0, 0, {3, 4});
  EXPECT_EQ(geometry.source, (Rect{7, 0, 3, 4}));
  EXPECT_TRUE(geometry.flip);
}

TEST(geometry, a_resize_to_the_same_size_changes_nothing) {
  Geometry geometry = Geometry::whole({100, 80});
  geometry.resize({50, 40});
  geometry.crop(5, 5, {20, 20});
  const Geometry before = geometry;
  geometry.resize({20, 20});
  EXPECT_EQ(geometry, before);
}

TEST(geometry, refuses_empty_pictures_and_crops_outside) {
  const auto text = [](const std::function<void()>& act) -> std::string {
    try {
      act();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(text([] { Geometry::whole({0, 5}); }), "geometry: empty picture: expected at least 1x1, got 0x5");
  EXPECT_EQ(text([] {
              Geometry::whole({4, 4}).resize({4, -1});
            }),
            "geometry: empty picture: expected at least 1x1, got 4x-1");
  EXPECT_EQ(text([] {
              Geometry::whole({4, 4}).crop(2, 0, {3, 4});
            }),
            "geometry: crop outside the picture: expected a window inside 4x4, got 3x4 at (2, 0)");
  EXPECT_EQ(text([] {
              Geometry::whole({4, 4}).crop(-1, 0, {3, 4});
            }),
            "geometry: crop outside the picture: expected a window inside 4x4, got 3x4 at (-1, 0)");
  EXPECT_EQ(text([] {
              Geometry::whole({4, 4}).crop(2147483647, 0, {2147483647, 1});
            }),
            "geometry: crop outside the picture: expected a window inside 4x4, got 2147483647x1 at "
            "(2147483647, 0)");
}

}  // namespace
}  // namespace kinema
