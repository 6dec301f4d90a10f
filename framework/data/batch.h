#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "kinema/clip.h"
#include "kinema/dataset.h"

namespace kinema::data {

// A training item whose video could not be read, or an evaluation clip that stayed empty.
struct BadVideo {
  std::size_t index = 0;  // of the item in the data set
  std::uint64_t epoch = 0;
  std::string key;
  std::string path;
  std::string reason;
};

// How one clip of a batch came about.
struct ClipInfo {
  std::size_t index = 0;  // of the item that was asked for
  std::size_t used = 0;   // of the item that is in the batch: another one when the first could not be read
  std::string key;        // of the item that is in the batch
  std::string path;       // of its first source
  Target target;          // of the item that is in the batch
  float weight = 1;
  std::int64_t temporal_view = 0, spatial_view = 0;
  std::vector<std::int64_t> frames;  // frame numbers in the file
  Geometry geometry;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};
  std::int64_t frame_count = 0;  // of the file
  double fps = 0;                // of the file
  std::int64_t decoder_errors = 0;
  bool valid = true;    // false: evaluation could not read it; its pixels are 0
  std::string problem;  // then why; else the decoder's first message
};

// A box in pixels of its clip, with the classes seen in it.
struct BatchBox {
  std::int64_t clip = 0;  // of the batch
  std::size_t box = 0;    // of the item's target
  float x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::vector<std::int64_t> classes;
  float score = 1;
};

// Memory that goes back to the loader's pool when the last owner is gone; the pool may be gone by then.
using Pixels = std::shared_ptr<std::uint8_t>;

// The clips of another modality than the first ("flow"): uint8 [clips, frames, height, width, 3].
struct ExtraClips {
  std::string modality;
  Pixels pixels;
  std::int64_t frames = 0;
  Size size;
  std::int64_t channels = 3;  // that mean something: 2 of optical flow, right and down
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};  // as in Batch
};

// One micro-batch of one rank, without any tensor type. Rows of all vectors follow the clips.
struct Batch {
  std::uint64_t epoch = 0;
  std::int64_t number = 0;  // micro-batch of the epoch, from 0

  std::string modality = "rgb";
  Pixels pixels;  // uint8 [clips, frames, size.height, size.width, 3], contiguous
  std::int64_t clips = 0;
  std::int64_t frames = 0;
  Size size;
  std::int64_t channels = 3;  // as in ExtraClips
  std::vector<ExtraClips> extra;
  std::array<float, 3> mean = {0, 0, 0};
  std::array<float, 3> std = {1, 1, 1};  // value = (byte / 255 - mean) / std

  std::vector<std::int64_t> labels;  // [clips]; -1: not given
  std::int64_t classes = 0;          // of the data set
  std::vector<float> values;    // [clips, classes]; empty unless an item brings a vector (others: one-hot)
  std::vector<float> weights;   // [clips]
  bool detection = false;       // the model gives a row for each box; there may be none
  std::vector<BatchBox> boxes;  // those of a clip together, in the order of the clips
  std::vector<ClipInfo> infos;  // [clips]
  std::vector<BadVideo> bad;    // found while this batch was made

  std::int64_t bytes() const { return clips * frames * size.height * size.width * 3; }
};

}  // namespace kinema::data
