#include "framework/data/temporal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/data/frame_rules.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

// Past this no file has frames; keeps sums of offsets far from overflow.
constexpr double kFarFrame = 1e15;

std::int64_t to_frame(double value) {
  return static_cast<std::int64_t>(std::clamp(value, -kFarFrame, kFarFrame));
}

void check_rule(const TemporalRule& rule) {
  if (rule.frames >= 1 && rule.stride >= 1) return;
  throw Error(ErrorKind::usage, "clip",
              fmt::format("impossible rule: expected frames and stride of at least 1, got {} and {}",
                          rule.frames, rule.stride));
}

// Frames of the file for one at the rule's rate.
double rate_ratio(const TemporalRule& rule, double fps) {
  return rule.fps ? known_rate(fps, "clip.fps") / *rule.fps : 1.0;
}

// Of `views` starts from 0 to `room`, halves to the even number; the middle for one.
std::int64_t spread_start(std::int64_t room, std::int64_t view, std::int64_t views) {
  if (views <= 1) return room / 2;
  return static_cast<std::int64_t>(
      std::nearbyint(static_cast<double>(view) * static_cast<double>(room) / static_cast<double>(views - 1)));
}

std::int64_t drawn_start(std::int64_t room, Random& random) {
  return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(room) + 1));
}

std::int64_t dense_start(const TemporalRule& rule, std::int64_t room, std::int64_t view, Random& random) {
  if (rule.drawn) return drawn_start(room, random);
  if (rule.views <= 1) return room / 2;
  if (view == rule.views - 1) return room;
  // numpy.linspace: a multiple of the step, cut off below the point
  const double step = static_cast<double>(room) / static_cast<double>(rule.views - 1);
  return static_cast<std::int64_t>(static_cast<double>(view) * step);
}

std::int64_t first_frame(const TemporalRule& rule, std::int64_t room, std::int64_t view, Random& random) {
  switch (rule.sampling) {
    case config::Sampling::random:
      return drawn_start(room, random);
    case config::Sampling::center:
      return room / 2;
    case config::Sampling::dense:
      return dense_start(rule, room, view, random);
    default:
      return spread_start(room, view, rule.views);
  }
}

std::vector<std::int64_t> segment_frames(const TemporalRule& rule, std::int64_t count, std::int64_t view,
                                         Random& random) {
  std::vector<std::int64_t> frames(static_cast<std::size_t>(rule.frames));
  for (std::int64_t k = 0; k < rule.frames; ++k) {
    const std::int64_t first = k * count / rule.frames;
    const std::int64_t end = std::max(first + 1, (k + 1) * count / rule.frames);
    frames[static_cast<std::size_t>(k)] =
        rule.drawn ? first + drawn_start(end - first - 1, random)
                   : ((2 * k * rule.views + 2 * view + 1) * count) / (2 * rule.views * rule.frames);
  }
  return frames;
}

std::vector<std::int64_t> kinema_frames(TemporalRule rule, std::int64_t count, double fps, std::int64_t view,
                                        Random& random) {
  if (rule.sampling == config::Sampling::segments) return segment_frames(rule, count, view, random);
  const bool dense = rule.sampling == config::Sampling::dense;
  if (dense) rule.stride = std::max<std::int64_t>(1, rule.window / rule.frames);
  std::vector<std::int64_t> frames = frame_offsets(rule, fps);
  const std::int64_t span =
      dense ? to_frame(std::round(static_cast<double>(rule.window) * rate_ratio(rule, fps)))
            : frames.back() + 1;
  const std::int64_t start = first_frame(rule, std::max<std::int64_t>(0, count - span), view, random);
  for (std::int64_t& frame : frames) {
    frame += start;
    frame = rule.beyond == config::Beyond::loop ? frame % count : std::min(frame, count - 1);
  }
  return frames;
}

std::vector<std::int64_t> frames_of_rule(const TemporalRule& rule, std::int64_t count, double fps,
                                         std::int64_t view, Random& random) {
  switch (rule.rule) {
    case config::FrameRule::pyslowfast:
    case config::FrameRule::pyslowfast_offset:
      return pyslowfast_frames(rule, count, fps, view, random);
    case config::FrameRule::resnets3d:
      return resnets3d_frames(rule, count, view, random);
    default:
      return kinema_frames(rule, count, fps, view, random);
  }
}

}  // namespace

double known_rate(double fps, const char* what) {
  if (fps > 0 && std::isfinite(fps)) return fps;
  throw Error(ErrorKind::data, "frame rate",
              fmt::format("{} needs the file's frame rate: expected a positive number, got {}", what, fps),
              "remux the file with a constant rate, or give frames instead of seconds");
}

TemporalRule temporal_rule(const config::ClipOptions& clip, bool training) {
  TemporalRule rule;
  rule.frames = clip.frames;
  rule.stride = clip.stride;
  rule.fps = clip.fps;
  rule.views = training ? clip.clips_per_video : clip.temporal_views;
  rule.sampling = clip.sampling.value_or(training ? config::Sampling::random : config::Sampling::uniform);
  rule.rule = clip.rule;
  rule.beyond = clip.beyond;
  rule.window = clip.window;
  rule.drawn = training;
  return rule;
}

FrameRange frames_of(const Span& span, double fps) {
  if (span.unit != Span::Unit::seconds) return {to_frame(span.begin), to_frame(span.end)};
  known_rate(fps, "a span in seconds");
  return {to_frame(std::floor(span.begin * fps + 1e-6)), to_frame(std::ceil(span.end * fps - 1e-6))};
}

FrameRange frame_range(const Span& span, std::int64_t frame_count, double fps) {
  const bool part = span.unit == Span::Unit::frames || span.unit == Span::Unit::seconds;
  const FrameRange asked = part ? frames_of(span, fps) : FrameRange{0, frame_count};
  const FrameRange range{std::max<std::int64_t>(0, asked.begin), std::min(frame_count, asked.end)};
  if (range.count() <= 0)
    throw Error(ErrorKind::data, "frames",
                !part
                    ? "the video has no frames"
                    : fmt::format("nothing is left of the item's span: expected frames within 0..{}, got {} "
                                  "to {}",
                                  frame_count, asked.begin, asked.end));
  return range;
}

std::int64_t centre_frame(const Span& span, std::int64_t frame_count, double fps) {
  double frame = span.begin;
  if (span.unit == Span::Unit::centre_seconds) {
    known_rate(fps, "a centre in seconds");
    frame = std::round(span.begin * fps);
  }
  const double last = static_cast<double>(frame_count - 1);
  const double second = std::isfinite(fps) ? std::max(1.0, fps) : 1.0;
  if (!(frame >= 0 && frame <= last + second))
    throw Error(ErrorKind::data, "frames",
                fmt::format("the centre lies outside the video: expected a frame within 0..{}, got {}",
                            frame_count - 1, frame));
  return to_frame(std::min(frame, last));
}

std::vector<std::int64_t> frame_offsets(const TemporalRule& rule, double fps) {
  check_rule(rule);
  const double step = static_cast<double>(rule.stride) * rate_ratio(rule, fps);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(rule.frames));
  for (std::size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = to_frame(std::round(static_cast<double>(k) * step));
  return offsets;
}

std::vector<std::int64_t> clip_frames(const TemporalRule& rule, FrameRange range, double fps,
                                      std::int64_t view, Random& random) {
  check_rule(rule);
  std::vector<std::int64_t> frames = frames_of_rule(rule, range.count(), fps, view, random);
  for (std::int64_t& frame : frames) frame += range.begin;
  return frames;
}

std::vector<std::int64_t> frames_around(const TemporalRule& rule, std::int64_t centre,
                                        std::int64_t frame_count, double fps) {
  std::vector<std::int64_t> frames = frame_offsets(rule, fps);
  const double length = static_cast<double>(rule.frames * rule.stride) * rate_ratio(rule, fps);
  const std::int64_t start = centre - to_frame(std::floor(length / 2));
  for (std::int64_t& frame : frames) frame = std::clamp<std::int64_t>(start + frame, 0, frame_count - 1);
  return frames;
}

}  // namespace kinema::data
