#include "blocks/roi_align.h"

#include <ATen/ops/einsum.h>
#include <ATen/ops/zeros.h>

#include <algorithm>
#include <cmath>

#include "blocks/stand_in_products.h"

namespace kinema::blocks {
namespace {

struct Axis {
  double begin = 0, length = 0;  // of a box, in cells of the map
  std::int64_t cells = 0;
};

// Adds the two bilinear weights of one sample to the weights of all cells.
void add_sample(double* weights, double at, std::int64_t cells, double share) {
  if (at < -1 || at > static_cast<double>(cells)) return;
  at = std::max(at, 0.0);
  const std::int64_t low = static_cast<std::int64_t>(at);
  if (low >= cells - 1) {
    weights[cells - 1] += share;
    return;
  }
  const double part = at - static_cast<double>(low);
  weights[low] += share * (1 - part);
  weights[low + 1] += share * part;
}

// How much each cell of an axis counts in each bin: row-major [size, cells].
void fill(double* weights, const Axis& axis, const RoiAlignOptions& o) {
  const double bin = axis.length / static_cast<double>(o.size);
  const std::int64_t points = o.sampling > 0 ? o.sampling : static_cast<std::int64_t>(std::ceil(bin));
  for (std::int64_t b = 0; b < o.size; ++b)
    for (std::int64_t p = 0; p < points; ++p)
      add_sample(weights + b * axis.cells,
                 axis.begin + bin * (static_cast<double>(b) +
                                     (static_cast<double>(p) + 0.5) / static_cast<double>(points)),
                 axis.cells, 1 / static_cast<double>(points));
}

// [R, size, cells] of the axis whose ends are columns `first` and `first` + 2 of the boxes.
at::Tensor axis_weights(const at::Tensor& boxes, std::int64_t first, std::int64_t cells,
                        const RoiAlignOptions& o) {
  at::Tensor weights = at::zeros({boxes.size(0), o.size, cells}, at::kDouble);
  const double* box = boxes.const_data_ptr<double>() + first;
  double* out = weights.mutable_data_ptr<double>();
  for (std::int64_t r = 0; r < boxes.size(0); ++r, box += 5, out += o.size * cells) {
    const double offset = o.aligned ? 0.5 : 0;
    Axis axis{box[0] * o.scale - offset, (box[2] - box[0]) * o.scale, cells};
    if (!o.aligned) axis.length = std::max(axis.length, 1.0);
    fill(out, axis, o);
  }
  return weights;
}

}  // namespace

// Bilinear sampling on a grid is separable: a box is two small matrices around its map.
at::Tensor roi_align(const at::Tensor& features, const at::Tensor& boxes, const RoiAlignOptions& o) {
  const at::Tensor plain = boxes.detach().to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor of_image = features.index_select(0, boxes.select(1, 0).to(at::kLong));
  const at::Tensor x = axis_weights(plain, 1, features.size(3), o).to(features.options());
  const at::Tensor y = axis_weights(plain, 2, features.size(2), o).to(features.options());
  // An interpolation that happens to be written as products: who counts the network's products sees none.
  const StandInProducts none(0);
  return at::einsum("rph,rchw,rqw->rcpq", {y, of_image, x});
}

}  // namespace kinema::blocks
