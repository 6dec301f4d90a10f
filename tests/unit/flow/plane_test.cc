#include "framework/flow/plane.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>

#include "kinema/random.h"

namespace kinema::flow {
namespace {

using testing::ElementsAre;
using testing::FloatEq;
using testing::Pointwise;

Plane noise(Size size, std::uint64_t seed) {
  Plane plane(size);
  Random random(seed);
  for (float& value : plane.values) value = static_cast<float>(random.uniform(-5, 5));
  return plane;
}

TEST(plane, is_resized_with_half_pixel_centres_and_a_repeated_border) {
  Plane plane({4, 1});
  plane.values = {0, 10, 20, 30};
  EXPECT_THAT(resized(plane, {2, 1}).values, ElementsAre(FloatEq(5), FloatEq(25)));
  EXPECT_THAT(resized(plane, {8, 1}).values,
              Pointwise(FloatEq(), std::vector<float>{0, 2.5, 7.5, 12.5, 17.5, 22.5, 27.5, 30}));
  EXPECT_THAT(resized(plane, {3, 1}, 1.25).values,
              ElementsAre(FloatEq(1.25), FloatEq(13.75), FloatEq(26.25)));
  EXPECT_EQ(resized(plane, {4, 1}).values, plane.values);
}

TEST(plane, is_blurred_with_a_border_that_is_mirrored_at_its_outermost_pixel) {
  Plane plane({4, 1});
  plane.values = {0, 8, 0, 16};
  EXPECT_THAT(blurred(plane, {0.25F, 0.5F, 0.25F}).values, ElementsAre(4, 4, 6, 8));
  Plane one({1, 1}, 3);
  EXPECT_THAT(blurred(one, gaussian_kernel(4, 2)).values, ElementsAre(FloatEq(3)));
  const std::vector<float> kernel = gaussian_kernel(3, 1.2);
  EXPECT_FLOAT_EQ(std::accumulate(kernel.begin(), kernel.end(), 0.0F), 1);
  EXPECT_EQ(kernel.front(), kernel.back());
}

TEST(plane, median_is_that_of_sorting_for_any_size) {
  for (const Size size : {Size{1, 1}, Size{3, 2}, Size{16, 5}, Size{37, 21}}) {
    const Plane plane = noise(size, static_cast<std::uint64_t>(size.width));
    const Plane median = median5(plane);
    for (int y = 0; y < size.height; ++y)
      for (int x = 0; x < size.width; ++x) {
        std::vector<float> around;
        for (int v = y - 2; v <= y + 2; ++v)
          for (int u = x - 2; u <= x + 2; ++u)
            around.push_back(plane.row(std::clamp(v, 0, size.height - 1))[std::clamp(u, 0, size.width - 1)]);
        std::sort(around.begin(), around.end());
        ASSERT_EQ(median.row(y)[x], around[12]) << size.width << "x" << size.height << " " << x << " " << y;
      }
  }
}

}  // namespace
}  // namespace kinema::flow
