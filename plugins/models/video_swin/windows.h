#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>

namespace kinema::video_swin {

using Sizes = std::array<std::int64_t, 3>;  // frames, rows, columns

std::int64_t volume(const Sizes& sizes);

// How a map of tokens is cut into windows. Where it is not larger than a window along an axis, the window is
// as large as the map and not shifted.
struct Windows {
  Sizes map, size, shift;
  Sizes padded;  // the map, with zeros up to a multiple of the windows

  Windows(const Sizes& map, const Sizes& window, const Sizes& shift);
  bool shifted() const;
  std::int64_t count() const;  // of one map

  // [N, T, H, W, C] -> [N * count, tokens of a window, C], and back.
  at::Tensor cut(const at::Tensor& x) const;
  at::Tensor joined(const at::Tensor& windows) const;
  // Which tokens of a shifted window may not see each other, because the map's other end came between them:
  // [count, tokens, tokens], true where they may not.
  at::Tensor strangers(at::Device device) const;
};

// For each pair of a window's tokens the row of the table of their relative position, [tokens, tokens].
at::Tensor relative_position_index(const Sizes& window);

}  // namespace kinema::video_swin
