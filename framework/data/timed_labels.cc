#include "framework/data/timed_labels.h"

#include <algorithm>

#include "framework/data/temporal.h"

namespace kinema::data {

void keep_shown(Target& target, std::span<const std::int64_t> frames, double fps) {
  std::ranges::fill(target.values, 0.0F);
  for (const TimedLabel& timed : target.timed) {
    const auto inside = [range = frames_of(timed.span, fps)](std::int64_t frame) {
      return frame >= range.begin && frame < range.end;
    };
    if (std::ranges::any_of(frames, inside)) target.values.at(static_cast<std::size_t>(timed.label)) = 1;
  }
}

}  // namespace kinema::data
