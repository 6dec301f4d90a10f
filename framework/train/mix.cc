#include "framework/train/mix.h"

#include <ATen/ops/flip.h>
#include <ATen/ops/one_hot.h>

#include <algorithm>
#include <cmath>

#include "framework/data/normal_draw.h"
#include "kinema/error.h"

namespace kinema::train {
namespace {

// Marsaglia and Tsang 2000; shapes below 1 by their boost.
double draw_gamma(double shape, Random& random) {
  if (shape < 1) return draw_gamma(shape + 1, random) * std::pow(1 - random.uniform(), 1 / shape);
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = data::normal_draw(random), v = std::pow(1 + c * x, 3);
    if (v > 0 && std::log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
  }
}

at::Tensor blend(const at::Tensor& own, const at::Tensor& partner, double lambda) {
  return own.mul(lambda).add_(partner, 1 - lambda);
}

}  // namespace

double draw_beta(double alpha, Random& random) {
  const double a = draw_gamma(alpha, random), b = draw_gamma(alpha, random);
  return a + b > 0 ? a / (a + b) : 0.5;
}

Mix cut_window(double lambda, Size size, std::int64_t y, std::int64_t x) {
  const double side = std::sqrt(1 - lambda);
  const auto half = [&](int length) { return static_cast<std::int64_t>(length * side) / 2; };
  const std::int64_t y1 = std::max<std::int64_t>(y - half(size.height), 0);
  const std::int64_t y2 = std::min<std::int64_t>(y + half(size.height), size.height);
  const std::int64_t x1 = std::max<std::int64_t>(x - half(size.width), 0);
  const std::int64_t x2 = std::min<std::int64_t>(x + half(size.width), size.width);
  const double area = static_cast<double>((y2 - y1) * (x2 - x1));
  return {1 - area / (static_cast<double>(size.height) * size.width), std::array{y1, y2, x1, x2}};
}

std::optional<Mix> draw_mix(const config::MixOptions& o, Size size, Random& random) {
  if ((o.mixup <= 0 && o.cutmix <= 0) || !random.chance(o.probability)) return std::nullopt;
  const bool cut = o.cutmix > 0 && (o.mixup <= 0 || random.chance(o.cutmix_share));
  const double lambda = draw_beta(cut ? o.cutmix : o.mixup, random);
  if (!cut) return Mix{lambda, std::nullopt};
  const auto place = [&](int length) {
    return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(length)));
  };
  const std::int64_t y = place(size.height);
  return cut_window(lambda, size, y, place(size.width));
}

void mix_clips(ClipBatch& clips, const Mix& mix) {
  if (clips.boxes.defined())
    throw Error(ErrorKind::usage, "mix", "clips with boxes: expected classes of whole clips, got boxes",
                "leave [mix] out: what a box holds would no longer be in it");
  for (auto& [modality, clip] : clips.clips) {
    const at::Tensor partner = clip.flip(0);
    if (!mix.window) {
      clip = blend(clip, partner, mix.lambda);
      continue;
    }
    const auto [y1, y2, x1, x2] = *mix.window;
    const auto part = [&](const at::Tensor& whole) { return whole.slice(3, y1, y2).slice(4, x1, x2); };
    clip = clip.clone();
    part(clip).copy_(part(partner));
  }
}

void mix_targets(TargetBatch& targets, std::int64_t classes, const Mix& mix) {
  at::Tensor values = targets.values;
  if (!values.defined() && targets.labels.defined()) {
    values = at::one_hot(targets.labels.clamp_min(0), classes).to(at::kFloat);
    values = values.mul_(targets.labels.ge(0).unsqueeze(1));
  }
  if (values.defined()) targets.values = blend(values, values.flip(0), mix.lambda);
}

}  // namespace kinema::train
