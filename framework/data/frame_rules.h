#pragma once

#include <cstdint>
#include <vector>

#include "framework/data/temporal.h"

// The frames of a clip as other projects pick them, frame for frame, in a video of `count` frames 0 .. count
// - 1 at `fps` frames a second. `view` of rule.views. Throws Error(data) when rule.fps is given and the
// file's rate is unknown.
namespace kinema::data {

// PySlowFast. The clip is c = max(1, stride * frames / rule.fps * fps) long, which is no whole number, and
// d = max(0, count - c).
//   random    start = u * d
//   uniform   start_i = d * i / views, which never reaches the end; with FrameRule::pyslowfast_offset
//             i * floor(d / (views - 1)), and floor(d / 2) for one view
//   segments  from round(i * (count - 1) / frames) to round((i + 1) * (count - 1) / frames), both included:
//             any of them in training, the middle in evaluation, the same for every view (its
//             Something-Something)
// The frames are even_frames() of start and c. (slowfast/datasets: decoder.py, get_start_end_idx; ssv2.py.)
std::vector<std::int64_t> pyslowfast_frames(const TemporalRule& rule, std::int64_t count, double fps,
                                            std::int64_t view, Random& random);

// `frames` numbers spread evenly over start .. start + length - 1, in float32, cut off below the point; the
// last one of `count` in place of those beyond it. (slowfast/datasets/decoder.py: temporal_sampling.)
std::vector<std::int64_t> even_frames(double start, double length, std::int64_t frames, std::int64_t count);

// 3D-ResNets-PyTorch. Every stride-th frame of the video first, m of them; then `frames` in a row, repeated
// from the clip's own first one where they end:
//   random   from 0 .. max(0, m - frames - 1), so that the last place never comes
//   center   from m / 2 - frames / 2
//   uniform  from i * s, s = max(1, ceil((m - 1 - frames) / (views - 1))), no farther than the first place
//            from which the clip reaches beyond the end; center for one view
// (temporal_transforms.py: TemporalSubsampling, TemporalRandomCrop, TemporalCenterCrop, TemporalEvenCrop,
// LoopPadding.)
std::vector<std::int64_t> resnets3d_frames(const TemporalRule& rule, std::int64_t count, std::int64_t view,
                                           Random& random);

}  // namespace kinema::data
