#include "windows.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/roll.h>
#include <ATen/ops/zeros.h>

namespace kinema::video_swin {
namespace {

// [N, T, H, W, ...] with T = t * size[0], ... -> [N, t, h, w, size[0], size[1], size[2], ...], a view.
at::Tensor split(const at::Tensor& x, const Sizes& counts, const Sizes& size) {
  return x.unflatten(3, {counts[2], size[2]})
      .unflatten(2, {counts[1], size[1]})
      .unflatten(1, {counts[0], size[0]})
      .permute({0, 1, 3, 5, 2, 4, 6, 7});
}

Sizes divided(const Sizes& a, const Sizes& b) { return {a[0] / b[0], a[1] / b[1], a[2] / b[2]}; }

}  // namespace

std::int64_t volume(const Sizes& s) { return s[0] * s[1] * s[2]; }

Windows::Windows(const Sizes& map_size, const Sizes& window, const Sizes& window_shift)
    : map(map_size), size(window), shift(window_shift), padded(map_size) {
  for (std::size_t d = 0; d < 3; ++d) {
    if (map[d] <= window[d]) {
      size[d] = map[d];
      shift[d] = 0;
    }
    padded[d] = (map[d] + size[d] - 1) / size[d] * size[d];
  }
}

bool Windows::shifted() const { return volume({shift[0] + 1, shift[1] + 1, shift[2] + 1}) > 1; }

std::int64_t Windows::count() const { return volume(divided(padded, size)); }

at::Tensor Windows::cut(const at::Tensor& x) const {
  at::Tensor y = x;
  if (padded != map)
    y = at::constant_pad_nd(y, {0, 0, 0, padded[2] - map[2], 0, padded[1] - map[1], 0, padded[0] - map[0]});
  if (shifted()) y = at::roll(y, {-shift[0], -shift[1], -shift[2]}, {1, 2, 3});
  return split(y, divided(padded, size), size).reshape({-1, volume(size), x.size(4)});
}

at::Tensor Windows::joined(const at::Tensor& windows) const {
  const Sizes counts = divided(padded, size);
  at::Tensor y =
      windows.view({-1, counts[0], counts[1], counts[2], size[0], size[1], size[2], windows.size(2)})
          .permute({0, 1, 4, 2, 5, 3, 6, 7})
          .reshape({-1, padded[0], padded[1], padded[2], windows.size(2)});
  if (shifted()) y = at::roll(y, shift, {1, 2, 3});
  for (std::size_t d = 0; d < 3; ++d) y = y.narrow(static_cast<std::int64_t>(d) + 1, 0, map[d]);
  return y;
}

at::Tensor Windows::strangers(at::Device device) const {
  // Along an axis, the last window has what was before the shift at both ends of the map.
  const auto parts = [&](std::size_t axis) {
    const at::Tensor places = at::arange(padded[axis], at::TensorOptions(device).dtype(at::kLong));
    if (shift[axis] == 0) return places.mul(0);
    return places.ge(padded[axis] - size[axis]).to(at::kLong).add(places.ge(padded[axis] - shift[axis]));
  };
  const at::Tensor part = parts(0).view({-1, 1, 1}).mul(9).add(parts(1).view({-1, 1}).mul(3)).add(parts(2));
  const at::Tensor tokens =
      split(part.unsqueeze(0).unsqueeze(4), divided(padded, size), size).reshape({-1, volume(size)});
  return tokens.unsqueeze(1).ne(tokens.unsqueeze(2));
}

at::Tensor relative_position_index(const Sizes& window) {
  const std::int64_t tokens = volume(window);
  at::Tensor index = at::zeros({tokens, tokens}, at::kLong);
  std::int64_t stride = 1, inner = 1;
  for (std::size_t axis = 3; axis-- > 0;) {
    // The place of each token along the axis.
    const at::Tensor place = at::arange(tokens, at::kLong).floor_divide(inner).remainder(window[axis]);
    index.add_(place.unsqueeze(1).sub(place.unsqueeze(0)).add(window[axis] - 1), stride);
    inner *= window[axis];
    stride *= 2 * window[axis] - 1;
  }
  return index;
}

}  // namespace kinema::video_swin
