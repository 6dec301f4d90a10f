#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "framework/data/transforms.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

void check_room(const char* transform, Size frame, std::int64_t size) {
  if (size <= std::min(frame.width, frame.height)) return;
  throw Error(ErrorKind::data, transform,
              fmt::format("the window does not fit: expected a picture of at least {0}x{0}, got {1}x{2}",
                          size, frame.width, frame.height),
              "resize before cropping: short_side or resize at least as large as the crop");
}

void crop_square(ClipPlan& plan, int x, int y, std::int64_t size) {
  plan.crop(x, y, {static_cast<int>(size), static_cast<int>(size)});
}

int drawn_offset(int room, Random& random) {
  return static_cast<int>(random.below(static_cast<std::uint64_t>(room) + 1));
}

}  // namespace

Size short_side_size(Size frame, int short_side) {
  const auto scaled = [short_side](int longer, int shorter) {
    return static_cast<int>(std::floor(static_cast<double>(longer) / shorter * short_side));
  };
  if (frame.width < frame.height) return {short_side, scaled(frame.height, frame.width)};
  return {scaled(frame.width, frame.height), short_side};
}

std::array<int, 2> uniform_crop_offset(Size frame, int size, int view) {
  const auto offset = [&](int length, int position) {
    const int room = length - size;
    return position == 0 ? 0 : position == 1 ? (room + 1) / 2 : room;
  };
  const bool wide = frame.width >= frame.height;
  return {offset(frame.width, wide ? view : 1), offset(frame.height, wide ? 1 : view)};
}

std::optional<Size> resized_crop_window(Size frame, double area_fraction, double log_aspect) {
  const double area = area_fraction * frame.width * frame.height;
  const double aspect = std::exp(log_aspect);
  const Size window{static_cast<int>(std::lround(std::sqrt(area * aspect))),
                    static_cast<int>(std::lround(std::sqrt(area / aspect)))};
  const bool fits =
      window.width > 0 && window.width <= frame.width && window.height > 0 && window.height <= frame.height;
  return fits ? std::optional(window) : std::nullopt;
}

std::array<int, 4> centred_window(Size frame, double low_aspect, double high_aspect) {
  Size window = frame;
  const double aspect = static_cast<double>(frame.width) / frame.height;
  if (aspect < low_aspect)
    window.height = std::max(1, static_cast<int>(std::lround(frame.width / low_aspect)));
  if (aspect > high_aspect)
    window.width = std::max(1, static_cast<int>(std::lround(frame.height * high_aspect)));
  return {(frame.width - window.width) / 2, (frame.height - window.height) / 2, window.width, window.height};
}

void Resize::plan(ClipPlan& plan, Random&) const {
  plan.resize({static_cast<int>(size[1]), static_cast<int>(size[0])});
}

void ShortSide::plan(ClipPlan& plan, Random& random) const {
  const std::int64_t spread = size.back() - size.front();
  const std::int64_t drawn =
      size.front() + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(spread) + 1));
  const Size wanted = short_side_size(plan.size(), static_cast<int>(drawn));
  if (wanted != plan.size()) plan.resize(wanted);
}

void RandomCrop::plan(ClipPlan& plan, Random& random) const {
  const Size frame = plan.size();
  check_room("random_crop", frame, size);
  const int y = drawn_offset(frame.height - static_cast<int>(size), random);
  const int x = drawn_offset(frame.width - static_cast<int>(size), random);
  crop_square(plan, x, y, size);
}

void CenterCrop::plan(ClipPlan& plan, Random&) const {
  check_room("center_crop", plan.size(), size);
  const auto [x, y] = uniform_crop_offset(plan.size(), static_cast<int>(size), 1);
  crop_square(plan, x, y, size);
}

void UniformCrop::plan(ClipPlan& plan, Random&) const {
  check_room("uniform_crop", plan.size(), size);
  if (plan.spatial_views != 1 && plan.spatial_views != 3)
    throw Error(ErrorKind::usage, "uniform_crop",
                fmt::format("wrong number of spatial crops: expected 1 or 3, got {}", plan.spatial_views));
  const int view = plan.spatial_views == 1 ? 1 : plan.spatial_view;
  const auto [x, y] = uniform_crop_offset(plan.size(), static_cast<int>(size), view);
  crop_square(plan, x, y, size);
}

void RandomResizedCrop::plan(ClipPlan& plan, Random& random) const {
  constexpr int kTries = 10;
  const Size frame = plan.size();
  const Size output{static_cast<int>(size), static_cast<int>(size)};
  for (int i = 0; i < kTries; ++i) {
    const double fraction = random.uniform(area[0], area[1]);
    const double log_aspect = random.uniform(std::log(aspect[0]), std::log(aspect[1]));
    const std::optional<Size> window = resized_crop_window(frame, fraction, log_aspect);
    if (!window) continue;
    const int y = drawn_offset(frame.height - window->height, random);
    const int x = drawn_offset(frame.width - window->width, random);
    plan.crop(x, y, *window);
    return plan.resize(output);
  }
  const auto [x, y, width, height] = centred_window(frame, aspect[0], aspect[1]);
  plan.crop(x, y, {width, height});
  plan.resize(output);
}

void Flip::plan(ClipPlan& plan, Random& random) const {
  if (random.chance(probability)) plan.mirror();
}

void Normalise::plan(ClipPlan& plan, Random&) const {
  for (std::size_t c = 0; c < 3; ++c) {
    plan.mean[c] = static_cast<float>(mean[mean.size() == 1 ? 0 : c]);
    plan.std[c] = static_cast<float>(std[std.size() == 1 ? 0 : c]);
  }
}

}  // namespace kinema::data
