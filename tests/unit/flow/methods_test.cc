#include <gmock/gmock.h>

#include <cmath>

#include "framework/flow/farneback.h"
#include "framework/flow/tvl1.h"
#include "tests/unit/flow/made_clips.h"

// Against the motion that the clips were made with.
namespace kinema::flow {
namespace {

constexpr int kMargin = 8;  // what comes in at a side was nowhere before

double error_of(const Field& flow, const test::MadeClip& clip) {
  double sum = 0;
  int count = 0;
  const auto [width, height] = flow.size();
  for (int y = kMargin; y < height - kMargin; ++y)
    for (int x = kMargin; x < width - kMargin; ++x, ++count) {
      const auto [right, down] = clip.motion(x, y);
      sum += std::hypot(flow.right.row(y)[x] - right, flow.down.row(y)[x] - down);
    }
  return sum / count;
}

struct Bounds {
  double tv_l1, farneback;
};
// Pixels. A window does not know the sides of the disc: there Farneback mixes both motions.
constexpr Bounds kBounds[] = {{0.08, 0.03}, {0.08, 0.15}, {0.25, 0.8}};

TEST(methods, find_the_motion_that_a_clip_was_made_with) {
  for (std::size_t i = 0; i < 3; ++i) {
    const test::MadeClip& clip = test::kMadeClips[i];
    const Plane first = test::made_picture(clip.first), second = test::made_picture(clip.second);
    EXPECT_LT(error_of(tv_l1(first, second), clip), kBounds[i].tv_l1) << clip.name;
    EXPECT_LT(error_of(farneback(first, second), clip), kBounds[i].farneback) << clip.name;
  }
}

// Mean motion inside of a picture that moves by (9, -6), or half of that.
std::pair<double, double> mean_of(const Field& flow) {
  double right = 0, down = 0;
  for (int y = 20; y < 124; ++y)
    for (int x = 20; x < 172; ++x) {
      right += flow.right.row(y)[x] / (104.0 * 152);
      down += flow.down.row(y)[x] / (104.0 * 152);
    }
  return {right, down};
}

TEST(methods, follow_motion_of_many_pixels_down_the_pyramid) {
  constexpr Size kSize = {192, 144};
  const auto picture = [&](double (*formula)(double, double)) { return test::made_picture(formula, kSize); };
  const Plane still = picture([](double x, double y) { return test::texture(5, x / 3, y / 3); });
  const Plane far = picture([](double x, double y) { return test::texture(5, (x - 9) / 3, (y + 6) / 3); });
  const Plane near = picture([](double x, double y) { return test::texture(5, (x - 4.5) / 3, (y + 3) / 3); });
  const auto [right, down] = mean_of(tv_l1(still, far));
  EXPECT_NEAR(right, 9, 0.05);
  EXPECT_NEAR(down, -6, 0.05);
  // Less than there is, as OpenCV's: that finds (7.94, -5.29) of (9, -6).
  const auto [half_right, half_down] = mean_of(farneback(still, near));
  EXPECT_NEAR(half_right, 4.5, 0.6);
  EXPECT_NEAR(half_down, -3, 0.4);
}

TEST(methods, find_no_motion_where_there_is_none) {
  const Plane picture = test::made_picture(test::kMadeClips[0].first), flat({40, 30}, 90), dot({1, 1}, 5);
  for (const Plane* plane : {&picture, &flat, &dot}) {
    const Field exact = tv_l1(*plane, *plane), near = farneback(*plane, *plane);
    for (std::size_t i = 0; i < exact.right.values.size(); ++i) {
      EXPECT_EQ(exact.right.values[i], 0);
      EXPECT_EQ(exact.down.values[i], 0);
      // The outermost pixels have no polynomial to compare with.
      EXPECT_NEAR(near.right.values[i], 0, 0.1);
      EXPECT_NEAR(near.down.values[i], 0, 0.1);
    }
  }
}

TEST(methods, take_pictures_of_any_size) {
  for (const Size size : {Size{1, 9}, Size{9, 1}, Size{15, 16}, Size{17, 33}, Size{63, 35}}) {
    const Plane first = test::made_picture(test::kMadeClips[1].first, size),
                second = test::made_picture(test::kMadeClips[1].second, size);
    for (const Field& flow : {tv_l1(first, second), farneback(first, second)}) {
      EXPECT_EQ(flow.size(), size);
      for (const float value : flow.right.values) EXPECT_TRUE(std::isfinite(value));
    }
  }
}

}  // namespace
}  // namespace kinema::flow
