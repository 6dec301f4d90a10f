#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/dataset.h"
#include "kinema/random.h"

namespace kinema::data {

// Frame numbers of a file, [begin, end).
struct FrameRange {
  std::int64_t begin = 0;
  std::int64_t end = 0;
  std::int64_t count() const { return end - begin; }
  bool operator==(const FrameRange&) const = default;
};

// How one clip is cut out of a video.
struct TemporalRule {
  std::int64_t frames = 16;
  std::int64_t stride = 2;
  std::optional<double> fps;  // stride counts frames at this rate instead of the file's own
  config::Sampling sampling = config::Sampling::random;
  std::int64_t views = 1;  // clips of one video: temporal views in evaluation, draws in training
  config::FrameRule rule = config::FrameRule::kinema;
  config::Beyond beyond = config::Beyond::last;
  std::int64_t window = 64;  // dense: frames
  bool drawn = true;         // dense, segments: at random, as in training; else the views are spread evenly
};

// The rule that [clip.train] or [clip.eval] asks for, defaults filled in: random in training; in evaluation
// uniform, which is the centre where there is one view.
TemporalRule temporal_rule(const config::ClipOptions& clip, bool training);

// The frames of a span in frames or seconds, wherever the file ends. Throws Error(data) for seconds of a file
// without a rate.
FrameRange frames_of(const Span& span, double fps);

// The frames of the file that belong to an item. A centre belongs to the whole file. Throws Error(data)
// when nothing is left (an empty file, a span beyond the end, seconds of a file without a rate).
FrameRange frame_range(const Span& span, std::int64_t frame_count, double fps);

// The file's frame rate. Throws Error(data) when it is not known; `what` needs it.
double known_rate(double fps, const char* what);

// Distance of each clip frame from the first one, in frames of the file: k * stride, or the nearest frame to
// k * stride / rule.fps seconds. Throws Error(data) when rule.fps is given and the file's rate is unknown.
std::vector<std::int64_t> frame_offsets(const TemporalRule& rule, double fps);

// Frame numbers of clip `view` of 0 .. rule.views - 1. With N frames in the range, span = last offset + 1 and
// halves rounded to the even number:
//   random    start uniform over 0 .. N - span, both included
//   center    start = (N - span) / 2, rounded down, for every view
//   uniform   start_i = round(i * (N - span) / (views - 1)), from the first to the last; centre for one view
//   dense     frames window / frames apart (rounded down), so that `window` frames hold them all; start
//             uniform over 0 .. N - window where drawn, else floor(i * (N - window) / (views - 1)), for one
//             view half of it (MMAction2: DenseSampleFrames, which leaves the last start out in training)
//   segments  frame k is from the k-th of `frames` equal parts: any of it where drawn, else view i's is
//             (i + 0.5) / views of the way through it (TSN)
// A video shorter than the span starts at its first frame; what lies beyond its end is its last frame, or
// goes on from its start (rule.beyond). Other arithmetic than FrameRule::kinema: see frame_rules.h.
std::vector<std::int64_t> clip_frames(const TemporalRule& rule, FrameRange range, double fps,
                                      std::int64_t view, Random& random);

// The frame in the middle of an item's clip: Unit::centre or Unit::centre_seconds. Throws Error(data) for a
// file without a rate where it takes one, and for a moment more than a second behind the last frame, which is
// taken for one just behind it.
std::int64_t centre_frame(const Span& span, std::int64_t frame_count, double fps);

// Frame numbers around a centre frame: stride frames apart from centre - frames * stride / 2
// on, clamped to the file. Every view is the same. (SlowFast, AVA: get_sequence.)
std::vector<std::int64_t> frames_around(const TemporalRule& rule, std::int64_t centre,
                                        std::int64_t frame_count, double fps);

}  // namespace kinema::data
