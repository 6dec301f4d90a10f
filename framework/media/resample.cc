#include "framework/media/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kinema::media {

Taps make_taps(double begin, double length, int count, int low, int high, bool flip) {
  Taps taps;
  const auto size = static_cast<std::size_t>(count);
  taps.near.resize(size);
  taps.far.resize(size);
  taps.weight.resize(size);
  for (int i = 0; i < count; ++i) {
    const int place = flip ? count - 1 - i : i;
    const double at = std::clamp(begin + (i + 0.5) * length / count - 0.5, static_cast<double>(low),
                                 static_cast<double>(high));
    const double floor = std::floor(at);
    const auto slot = static_cast<std::size_t>(place);
    taps.near[slot] = static_cast<int>(floor);
    taps.weight[slot] = static_cast<int>(std::lround((at - floor) * Taps::kOne));
    if (taps.weight[slot] == Taps::kOne) {
      ++taps.near[slot];
      taps.weight[slot] = 0;
    }
    taps.far[slot] = taps.weight[slot] == 0 ? taps.near[slot] : std::min(taps.near[slot] + 1, high);
  }
  return taps;
}

bool is_copy(const Taps& taps) {
  return std::ranges::all_of(taps.weight, [](std::int32_t weight) { return weight == 0; });
}

// One source row, resampled horizontally, in units of 1/16 level... kept at 8 + 8 bits.
const std::uint16_t* Resampler::row(const std::uint8_t* rgb, std::size_t stride, int left, int top,
                                    const Taps& columns, int y, int slot) {
  constexpr int kShift = Taps::kBits - 8;  // levels times 256 fit 16 bits
  auto& out = rows_[slot];
  if (held_[slot] == y) return out.data();
  held_[slot] = y;
  const std::uint8_t* in = rgb + static_cast<std::size_t>(y - top) * stride;
  const std::size_t width = columns.near.size();
  for (std::size_t x = 0; x < width; ++x) {
    const std::uint8_t* a = in + 3 * (columns.near[x] - left);
    const std::uint8_t* b = in + 3 * (columns.far[x] - left);
    const int weight = columns.weight[x];
    for (std::size_t c = 0; c < 3; ++c) {
      const int value = a[c] * (Taps::kOne - weight) + b[c] * weight;
      out[3 * x + c] = static_cast<std::uint16_t>((value + (1 << (kShift - 1))) >> kShift);
    }
  }
  return out.data();
}

void Resampler::run(const std::uint8_t* rgb, std::size_t stride, int left, int top, const Taps& columns,
                    const Taps& rows, std::uint8_t* out) {
  const std::size_t values = 3 * columns.near.size();
  for (auto& row : rows_) row.resize(values);
  held_[0] = held_[1] = -1;
  for (std::size_t y = 0; y < rows.near.size(); ++y) {
    // The two slots alternate by row number, so that neighbouring output rows share their work.
    const std::uint16_t* a = row(rgb, stride, left, top, columns, rows.near[y], rows.near[y] & 1);
    const std::uint16_t* b = row(rgb, stride, left, top, columns, rows.far[y], rows.far[y] & 1);
    const std::uint32_t weight = static_cast<std::uint32_t>(rows.weight[y]);
    const std::uint32_t rest = Taps::kOne - weight;
    constexpr int kShift = Taps::kBits + 8;
    std::uint8_t* line = out + y * values;
    for (std::size_t i = 0; i < values; ++i) {
      line[i] = static_cast<std::uint8_t>((a[i] * rest + b[i] * weight + (1u << (kShift - 1))) >> kShift);
    }
  }
}

}  // namespace kinema::media
