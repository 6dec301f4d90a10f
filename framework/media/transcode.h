#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "framework/media/index.h"
#include "framework/media/limits.h"
#include "kinema/geometry.h"

namespace kinema::media {

struct TranscodeOptions {
  std::optional<double> fps;      // empty: every frame, at the file's average rate
  std::optional<int> short_side;  // empty: as it is; never enlarged
  int gop = 16;                   // frames from one that stands alone to the next, always closed
  std::optional<int> quality;     // as WriterOptions::quality; empty: 20 of libx264, 3 of mpeg4
  int b_frames = 0;               // of libx264, always so many between two others; nothing depends on them
  int compared = 0;               // frames, evenly spread, that are compared with those of the input
};

struct TranscodeFacts {
  IndexPtr index;             // of the output
  double lead_in_before = 0;  // mean_lead_in() of the input
  std::vector<double> psnr;   // of the compared frames, in dB: see psnr()
};

// Writes `input` anew as MP4, whatever the name of `output` ends in: H.264 (mpeg4 where FFmpeg has no
// libx264), upright, 4:2:0, even sides, no sound. The frames are those that Video::read
// delivers. Throws Error(data) for an input that cannot be read, Error(run) for an output that cannot be
// written.
TranscodeFacts transcode(const std::string& input, const std::string& output, const TranscodeOptions& options,
                         const Limits& limits = {});

// Peak signal-to-noise ratio of two pictures of as many bytes; 100 at most, which is that of equal ones.
double psnr(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b);

// The encoder that transcode() uses, and its quality where none is given.
std::string transcode_encoder();
int transcode_quality(const TranscodeOptions& options);

// The frames of a video that runs at `fps` from now on: number k shows the frame whose time is nearest to
// times_s[0] + k / fps (the earlier one of two that are equally near, to a microsecond), for every k with
// k / fps at least a millisecond, the coarsest clock of a container, before duration_s. A lower rate leaves
// frames out, a higher one repeats them.
std::vector<std::int64_t> frames_at_rate(std::span<const double> times_s, double duration_s, double fps);

// Scaled so that the short side is at most `short_side`, each side to the nearest even number, at least 2.
Size transcoded_size(Size size, std::optional<int> short_side);

}  // namespace kinema::media
