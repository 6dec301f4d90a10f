#include "framework/data/frame_rules.h"

#include <algorithm>
#include <cmath>

namespace kinema::data {
namespace {

// torch.linspace of float32: from both ends towards the middle.
float even_number(float first, float last, std::int64_t count, std::int64_t k) {
  if (count == 1) return first;
  const float step = (last - first) / static_cast<float>(count - 1);
  return k < count / 2 ? first + step * static_cast<float>(k)
                       : last - step * static_cast<float>(count - 1 - k);
}

double pyslowfast_start(const TemporalRule& rule, double room, std::int64_t view, Random& random) {
  if (rule.sampling == config::Sampling::random) return random.uniform() * room;
  const double views = static_cast<double>(rule.views), i = static_cast<double>(view);
  if (rule.rule == config::FrameRule::pyslowfast) return room * i / views;
  return rule.views == 1 ? std::floor(room / 2) : i * std::floor(room / (views - 1));
}

// Halves go to the even number, as Python and NumPy round.
std::int64_t rounded(double value) { return static_cast<std::int64_t>(std::nearbyint(value)); }

std::vector<std::int64_t> pyslowfast_segments(const TemporalRule& rule, std::int64_t count, Random& random) {
  const double length = static_cast<double>(count - 1) / static_cast<double>(rule.frames);
  std::vector<std::int64_t> frames(static_cast<std::size_t>(rule.frames));
  for (std::size_t k = 0; k < frames.size(); ++k) {
    const std::int64_t first = rounded(length * static_cast<double>(k));
    const std::int64_t last = rounded(length * static_cast<double>(k + 1));
    frames[k] =
        rule.drawn
            ? first + static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(last - first) + 1))
            : (first + last) / 2;
  }
  return frames;
}

std::int64_t resnets3d_start(const TemporalRule& rule, std::int64_t count, std::int64_t view,
                             Random& random) {
  if (rule.sampling == config::Sampling::random)
    return static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(0, count - rule.frames - 1)) + 1));
  if (rule.sampling == config::Sampling::center || rule.views == 1)
    return std::max<std::int64_t>(0, count / 2 - rule.frames / 2);
  const double spread =
      std::ceil(static_cast<double>(count - 1 - rule.frames) / static_cast<double>(rule.views - 1));
  const std::int64_t step = std::max<std::int64_t>(1, static_cast<std::int64_t>(spread));
  // The first clip that reaches beyond the end is the last one.
  const std::int64_t last = count < rule.frames ? 0 : (count - rule.frames) / step + 1;
  return std::min({view, last, (count - 1) / step}) * step;
}

}  // namespace

std::vector<std::int64_t> pyslowfast_frames(const TemporalRule& rule, std::int64_t count, double fps,
                                            std::int64_t view, Random& random) {
  if (rule.sampling == config::Sampling::segments) return pyslowfast_segments(rule, count, random);
  double length = static_cast<double>(rule.stride * rule.frames);
  if (rule.fps) length = length / *rule.fps * known_rate(fps, "clip.fps");
  length = std::max(1.0, length);
  const double room = std::max(0.0, static_cast<double>(count) - length);
  const double start = pyslowfast_start(rule, room, view, random);
  return even_frames(start, length, rule.frames, count);
}

std::vector<std::int64_t> even_frames(double start, double length, std::int64_t frames, std::int64_t count) {
  const auto first = static_cast<float>(start), last = static_cast<float>(start + length - 1);
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(frames));
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const float at = even_number(first, last, frames, static_cast<std::int64_t>(k));
    numbers[k] = static_cast<std::int64_t>(std::clamp(at, 0.0F, static_cast<float>(count - 1)));
  }
  return numbers;
}

std::vector<std::int64_t> resnets3d_frames(const TemporalRule& rule, std::int64_t count, std::int64_t view,
                                           Random& random) {
  const std::int64_t places = (count + rule.stride - 1) / rule.stride;
  const std::int64_t start = resnets3d_start(rule, places, view, random);
  const std::int64_t there = std::min(rule.frames, places - start);
  std::vector<std::int64_t> frames(static_cast<std::size_t>(rule.frames));
  for (std::size_t k = 0; k < frames.size(); ++k)
    frames[k] = (start + static_cast<std::int64_t>(k) % there) * rule.stride;
  return frames;
}

}  // namespace kinema::data
