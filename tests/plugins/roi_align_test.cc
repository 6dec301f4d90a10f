#include "blocks/roi_align.h"

#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/reference.h"

namespace kinema::blocks {
namespace {

// The definition, point by point. Row-major map of one channel.
double sample(const std::vector<double>& map, std::int64_t height, std::int64_t width, double y, double x) {
  const double h = static_cast<double>(height), w = static_cast<double>(width);
  if (y < -1 || y > h || x < -1 || x > w) return 0;
  y = std::clamp(y, 0.0, h - 1);
  x = std::clamp(x, 0.0, w - 1);
  const std::int64_t y0 = static_cast<std::int64_t>(y), x0 = static_cast<std::int64_t>(x);
  const std::int64_t y1 = std::min(y0 + 1, height - 1), x1 = std::min(x0 + 1, width - 1);
  const double dy = y - static_cast<double>(y0), dx = x - static_cast<double>(x0);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return map[static_cast<std::size_t>(i * width + j)];
  };
  return (at(y0, x0) * (1 - dx) + at(y0, x1) * dx) * (1 - dy) +
         (at(y1, x0) * (1 - dx) + at(y1, x1) * dx) * dy;
}

struct Box {
  double x1, y1, x2, y2;
};

double bin_mean(const std::vector<double>& map, std::int64_t height, std::int64_t width, const Box& box,
                const RoiAlignOptions& o, std::int64_t row, std::int64_t column) {
  const double offset = o.aligned ? 0.5 : 0, least = o.aligned ? -1e9 : 1;
  const double bin_h = std::max((box.y2 - box.y1) * o.scale, least) / static_cast<double>(o.size);
  const double bin_w = std::max((box.x2 - box.x1) * o.scale, least) / static_cast<double>(o.size);
  const auto points = [&](double bin) {
    return o.sampling > 0 ? static_cast<double>(o.sampling) : std::ceil(bin);
  };
  const double rows = points(bin_h), columns = points(bin_w);
  double sum = 0;
  for (double i = 0; i < rows; ++i)
    for (double j = 0; j < columns; ++j)
      sum += sample(map, height, width,
                    box.y1 * o.scale - offset + bin_h * (static_cast<double>(row) + (i + 0.5) / rows),
                    box.x1 * o.scale - offset + bin_w * (static_cast<double>(column) + (j + 0.5) / columns));
  return sum / std::max(rows * columns, 1.0);
}

TEST(roi_align, is_the_mean_of_bilinear_samples_of_each_bin) {
  const std::int64_t height = 6, width = 9;
  const Box boxes[] = {
      {3.5, 7.25, 40, 60}, {-20, -9, 30, 20}, {100, 50, 170, 120}, {0, 0, 143, 95}, {8, 8, 9, 9}};
  const at::Tensor features = test::reference_input("map", {2, 3, height, width}).to(at::kDouble);
  for (const RoiAlignOptions& o : {RoiAlignOptions{.size = 3, .scale = 1.0 / 16},
                                   RoiAlignOptions{.size = 2, .scale = 0.25, .sampling = 2},
                                   RoiAlignOptions{.size = 7, .scale = 1.0 / 16, .aligned = false}}) {
    for (const Box& box : boxes) {
      const at::Tensor rows = at::tensor({1.0, box.x1, box.y1, box.x2, box.y2}, at::kDouble).view({1, 5});
      const at::Tensor got = roi_align(features, rows, o);
      ASSERT_EQ(got.sizes(), (at::IntArrayRef{1, 3, o.size, o.size}));
      const at::Tensor channel = features[1][2].contiguous();
      const double* data = channel.const_data_ptr<double>();
      const std::vector<double> map(data, data + height * width);
      for (std::int64_t i = 0; i < o.size; ++i)
        for (std::int64_t j = 0; j < o.size; ++j)
          EXPECT_NEAR(got[0][2][i][j].item<double>(), bin_mean(map, height, width, box, o, i, j), 1e-12);
    }
  }
}

TEST(roi_align, sends_gradients_to_the_cells_that_a_box_covers) {
  at::Tensor features = at::zeros({1, 1, 8, 8}, at::kDouble).set_requires_grad(true);
  const at::Tensor box = at::tensor({0.0, 2.0, 2.0, 6.0, 6.0}, at::kDouble).view({1, 5});
  roi_align(features, box, {.size = 2}).sum().backward();
  const at::Tensor gradient = features.grad()[0][0];
  EXPECT_NEAR(gradient.sum().item<double>(), 4, 1e-12);  // each of four bins is a mean
  EXPECT_NEAR(gradient.slice(0, 2, 6).slice(1, 2, 6).sum().item<double>(), 4, 1e-12);
}

TEST(roi_align, takes_no_boxes) {
  const at::Tensor features = test::reference_input("map", {1, 2, 4, 4});
  EXPECT_EQ(roi_align(features, at::zeros({0, 5}), {.size = 7}).sizes(), (at::IntArrayRef{0, 2, 7, 7}));
}

}  // namespace
}  // namespace kinema::blocks
