#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinema/dataset.h"
#include "kinema/geometry.h"

namespace kinema::data {

// What became of one clip of a batch.
struct ClipInfo {
  std::size_t index = 0;      // of the item in the data set (of the replacement where one was taken)
  std::string key;            // of the item
  int view = 0;               // evaluation: temporal_view * spatial_views + spatial_view
  bool valid = true;          // false (evaluation only): the video could not be read; the pixels are black
  std::string problem;        // why not
  std::vector<std::int64_t> frames;  // the frame numbers delivered
  Geometry geometry;
  std::int64_t decoder_errors = 0;
};

// Clips in one buffer, ready to be copied to the compute device. Torch-free.
struct Batch {
  std::shared_ptr<std::uint8_t[]> pixels;  // [clips, frames, height, width, 3]
  std::int64_t clips = 0, frames = 0;
  Size size;
  std::array<float, 3> mean = {0, 0, 0}, std = {1, 1, 1};  // value = (byte / 255 - mean) / std
  std::vector<std::int64_t> labels;  // [clips]; -1: none
  std::vector<float> values;         // [clips, classes] soft or multi-hot targets; empty: none
  std::int64_t classes = 0;
  std::vector<float> weights;        // [clips]
  std::vector<ClipInfo> infos;       // [clips]
  double wait_s = 0;                 // how long the caller waited for it
};

}  // namespace kinema::data
