#include "framework/media/resample.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "framework/media/mirror_row.h"
#include "framework/media/pixel_rows.h"
#include "framework/media/row_kernel.h"

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

// Of columns that follow one another, one for each pixel: 1 to the right, -1 to the left; 0: they do not.
static std::int32_t direction(const Taps& columns) {
  if (!is_copy(columns)) return 0;
  const std::int32_t span = columns.near.back() - columns.near.front();
  const auto steps = static_cast<std::int32_t>(columns.near.size()) - 1;
  return span == steps ? 1 : span == -steps ? -1 : 0;
}

int first_of(const Taps& taps) { return std::ranges::min(taps.near); }
int end_of(const Taps& taps) { return std::ranges::max(taps.far) + 1; }

ColumnTaps ColumnPlan::taps() const {
  return {static_cast<int>(near.size()),  near.data(), far.data(), weight.data(), blocks.data(),
          static_cast<int>(blocks.size())};
}

namespace {

constexpr int kLanes = 8, kHalf = kLanes / 2;

// Whether a window of kLanes pixels of the row has all that four outputs look at; sets it up.
bool place_window(const ColumnPlan& plan, int first, int width, std::int32_t& window, std::int32_t* place) {
  const auto begin = static_cast<std::size_t>(first), end = begin + kHalf;
  std::int32_t low = width - kLanes;
  for (std::size_t i = begin; i < end; ++i) low = std::min({low, plan.near[i], plan.far[i]});
  window = low;
  bool inside = low >= 0;
  for (std::size_t i = begin; i < end; ++i) {
    *place = plan.near[i] - low;
    place[kHalf] = plan.far[i] - low;
    inside &= *place < kLanes && place[kHalf] < kLanes;
    ++place;
  }
  return inside;
}

ColumnBlock block_at(const ColumnPlan& plan, int first, int width) {
  ColumnBlock block;
  block.first = first;
  block.windowed = place_window(plan, first, width, block.window[0], block.place);
  block.windowed &= place_window(plan, first + kHalf, width, block.window[1], block.place + kLanes);
  for (int i = 0; i < kLanes; ++i) {
    const std::int32_t weight = plan.weight[static_cast<std::size_t>(first + i)];
    block.pair[i] = (Taps::kOne - weight) | weight << 16;
  }
  return block;
}

}  // namespace

ColumnPlan plan_columns(const Taps& columns, int left, int right) {
  ColumnPlan plan{columns.near, columns.far, columns.weight, {}};
  for (auto& place : plan.near) place -= left;
  for (auto& place : plan.far) place -= left;
  const int count = static_cast<int>(plan.near.size());
  if (count < kLanes) return plan;
  for (int first = 0; first + kLanes <= count; first += kLanes)
    plan.blocks.push_back(block_at(plan, first, right - left));
  if (count % kLanes != 0) plan.blocks.push_back(block_at(plan, count - kLanes, right - left));
  return plan;
}

// The frames of a clip share one window.
void Resampler::plan(const Taps& columns, int left, int right) {
  if (left == planned_left_ && right == planned_right_ && columns == planned_) return;
  plan_ = plan_columns(columns, left, right);
  planned_ = columns;
  planned_left_ = left;
  planned_right_ = right;
}

// One source row, resampled along itself.
const std::uint16_t* Resampler::row(PixelRows& source, int y, int slot) {
  auto& out = rows_[slot];
  if (held_[slot] == y) return out.data();
  held_[slot] = y;
  best_row_kernel().across(source.row(y), plan_.taps(), out.data());
  return out.data();
}

// Nothing to blend.
void Resampler::copy(PixelRows& source, int left, const Taps& columns, const Taps& rows, std::uint8_t* out) {
  const std::size_t width = columns.near.size();
  const RowKernel& kernel = best_row_kernel();
  const bool whole = direction(columns) > 0;
  for (std::size_t y = 0; y < rows.near.size(); ++y, out += 3 * width) {
    const std::uint32_t* in = source.row(rows.near[y]);
    if (whole) {
      kernel.pack(in + (columns.near.front() - left), static_cast<int>(width), out);
      continue;
    }
    for (std::size_t x = 0; x < width; ++x) pixels_[x] = in[columns.near[x] - left];
    kernel.pack(pixels_.data(), static_cast<int>(width), out);
  }
}

void Resampler::run(PixelRows& source, int left, const Taps& columns, const Taps& rows, std::uint8_t* out) {
  const std::size_t width = columns.near.size();
  pixels_.resize(width);
  for (auto& row : rows_) row.resize(3 * width);
  held_[0] = held_[1] = -1;
  if (is_copy(columns) && is_copy(rows)) return copy(source, left, columns, rows, out);
  plan(columns, left, end_of(columns));
  const RowKernel& kernel = best_row_kernel();
  for (std::size_t y = 0; y < rows.near.size(); ++y) {
    // The two slots alternate by row number, so that neighbouring output rows share their work.
    const std::uint16_t* a = row(source, rows.near[y], rows.near[y] & 1);
    const std::uint16_t* b = row(source, rows.far[y], rows.far[y] & 1);
    kernel.down(a, b, rows.weight[y], static_cast<int>(width), pixels_.data());
    kernel.pack(pixels_.data(), static_cast<int>(width), out + 3 * y * width);
  }
}

void Resampler::run(const std::uint8_t* rgb, std::size_t stride, int left, int top, const Taps& columns,
                    const Taps& rows, std::uint8_t* out) {
  const std::int32_t step = direction(columns);
  if (step != 0 && is_copy(rows)) {
    const std::size_t bytes = 3 * columns.near.size();
    const std::int32_t first = std::min(columns.near.front(), columns.near.back());
    for (const std::int32_t y : rows.near) {
      const std::uint8_t* in = rgb + static_cast<std::size_t>(y - top) * stride + 3 * (first - left);
      if (step > 0) {
        std::memcpy(out, in, bytes);
      } else {
        mirror_row(in, static_cast<int>(columns.near.size()), out);
      }
      out += bytes;
    }
    return;
  }
  const int first = first_of(columns);
  RgbRows source(rgb, stride, left, top, first, end_of(columns));
  run(source, first, columns, rows, out);
}

}  // namespace kinema::media
