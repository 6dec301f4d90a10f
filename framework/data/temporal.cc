#include "framework/data/temporal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kinema/error.h"

namespace kinema::data {
namespace {

// Past this no file has frames; keeps sums of offsets far from overflow.
constexpr double kFarFrame = 1e15;

std::int64_t to_frame(double value) {
  return static_cast<std::int64_t>(std::clamp(value, -kFarFrame, kFarFrame));
}

void check_rate(double fps, const char* what) {
  if (!(fps > 0) || !std::isfinite(fps))
    throw Error(ErrorKind::data, "frame rate",
                fmt::format("{} needs the file's frame rate: expected a positive number, got {}", what, fps),
                "remux the file with a constant rate, or give frames instead of seconds");
}

std::int64_t first_frame(const TemporalRule& rule, std::int64_t room, std::int64_t view, Random& random) {
  switch (rule.sampling) {
    case config::Sampling::random:
      return static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(room) + 1));
    case config::Sampling::center:
      return room / 2;
    case config::Sampling::uniform:
      break;
  }
  if (rule.views <= 1) return room / 2;
  return std::llround(static_cast<double>(view) * static_cast<double>(room) /
                      static_cast<double>(rule.views - 1));
}

}  // namespace

TemporalRule temporal_rule(const config::ClipOptions& clip, bool training) {
  TemporalRule rule;
  rule.frames = clip.frames;
  rule.stride = clip.stride;
  rule.fps = clip.fps;
  rule.views = training ? clip.clips_per_video : clip.temporal_views;
  rule.sampling = clip.sampling.value_or(training ? config::Sampling::random : config::Sampling::uniform);
  return rule;
}

FrameRange frame_range(const Span& span, std::int64_t frame_count, double fps) {
  FrameRange range{0, frame_count};
  double begin = span.begin;
  double end = span.end;
  if (span.unit == Span::Unit::seconds) {
    check_rate(fps, "a span in seconds");
    begin = std::floor(begin * fps + 1e-6);
    end = std::ceil(end * fps - 1e-6);
  }
  if (span.unit == Span::Unit::frames || span.unit == Span::Unit::seconds) {
    range.begin = std::max<std::int64_t>(0, to_frame(begin));
    range.end = std::min(frame_count, to_frame(end));
  }
  if (range.count() <= 0)
    throw Error(ErrorKind::data, "frames",
                span.unit != Span::Unit::frames && span.unit != Span::Unit::seconds
                    ? "the video has no frames"
                    : fmt::format("nothing is left of the item's span: expected frames within 0..{}, got {} "
                                  "to {}",
                                  frame_count, begin, end));
  return range;
}

std::int64_t centre_frame(const Span& span, std::int64_t frame_count, double fps) {
  double frame = span.begin;
  if (span.unit == Span::Unit::centre_seconds) {
    check_rate(fps, "a centre in seconds");
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
  if (rule.frames < 1 || rule.stride < 1)
    throw Error(ErrorKind::usage, "clip",
                fmt::format("impossible rule: expected frames and stride of at least 1, got {} and {}",
                            rule.frames, rule.stride));
  if (rule.fps) check_rate(fps, "clip.fps");
  const double step = static_cast<double>(rule.stride) * (rule.fps ? fps / *rule.fps : 1.0);
  std::vector<std::int64_t> offsets(static_cast<std::size_t>(rule.frames));
  for (std::size_t k = 0; k < offsets.size(); ++k)
    offsets[k] = to_frame(std::round(static_cast<double>(k) * step));
  return offsets;
}

std::vector<std::int64_t> clip_frames(const TemporalRule& rule, FrameRange range, double fps,
                                      std::int64_t view, Random& random) {
  std::vector<std::int64_t> frames = frame_offsets(rule, fps);
  const std::int64_t span = frames.back() + 1;
  const std::int64_t room = std::max<std::int64_t>(0, range.count() - span);
  const std::int64_t start = range.begin + first_frame(rule, room, view, random);
  for (std::int64_t& frame : frames) frame = std::min(start + frame, range.end - 1);
  return frames;
}

std::vector<std::int64_t> frames_around(const TemporalRule& rule, std::int64_t centre,
                                        std::int64_t frame_count, double fps) {
  std::vector<std::int64_t> frames = frame_offsets(rule, fps);
  const double length = static_cast<double>(rule.frames * rule.stride) * (rule.fps ? fps / *rule.fps : 1.0);
  const std::int64_t start = centre - to_frame(std::floor(length / 2));
  for (std::int64_t& frame : frames) frame = std::clamp<std::int64_t>(start + frame, 0, frame_count - 1);
  return frames;
}

}  // namespace kinema::data
