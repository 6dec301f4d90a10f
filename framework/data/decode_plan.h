#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "kinema/geometry.h"

namespace kinema::data {

// A clip to decode, with everything decided.
struct DecodeJob {
  std::filesystem::path video;
  Size frame;  // of the video, displayed
  Geometry geometry;
  std::vector<std::int64_t> frames;
};

// The jobs of a plan, a line each: path, width, height, crop y, crop x, short side, crop size, frame numbers
// with commas between; separated by tabs. The frame of width x height is scaled to the short side (0: as it
// is), then the window of crop size x crop size at (crop x, crop y) is cut out. Paths are relative to the
// current folder. Empty lines and lines that begin with # are skipped. Throws Error(data) with every bad
// line.
std::vector<DecodeJob> read_decode_plan(const std::filesystem::path& file);

struct DecodeOptions {
  std::int64_t threads = 1;
  bool floats =
      false;           // (byte / 255 - 0.45) / 0.225 as float32 [3, frames, height, width], besides the bytes
  bool check = false;  // keep the means
};

struct DecodeFigures {
  double seconds = 0, cpu_seconds = 0;  // from the first clip to the last; of the whole process
  std::vector<std::array<double, 3>>
      means;  // of each job's channels, where asked for: bytes 0..255, or floats
};

// Decodes all jobs, each once, in their order as threads become free; files that a thread used last stay
// open. Throws Error(data) with every job that cannot be read.
DecodeFigures run_decode_plan(const std::vector<DecodeJob>& jobs, const DecodeOptions& options);

}  // namespace kinema::data
