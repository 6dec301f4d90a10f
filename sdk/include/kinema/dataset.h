#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/export.h"
#include "kinema/geometry.h"

namespace kinema {

// Own pixels: a data set that has no video files hands out one of these instead.
class KINEMA_API FrameSource {
 public:
  virtual ~FrameSource();
  struct Facts {
    Size size;
    std::int64_t frame_count = 0;
    double fps = 25;
  };
  // [worker threads, concurrent]
  virtual Facts facts() const = 0;
  // Writes frame `index` as RGB, uint8 [height, width, 3], into `out`. [worker threads, concurrent]
  virtual void read(std::int64_t index, std::span<std::uint8_t> out) const = 0;
};

// Where the frames of one modality come from: exactly one of the three.
struct Source {
  std::string modality = "rgb";
  std::filesystem::path video;    // a file with a video stream
  std::filesystem::path pattern;  // numbered pictures: "dir/img_%05d.jpg"
  std::int64_t first_number = 1;  // of the pattern
  double pattern_fps = 25;        // of the pattern
  std::shared_ptr<const FrameSource> frames;
};

// The part of a source that belongs to the item.
struct Span {
  enum class Unit { whole, frames, seconds, centre };
  Unit unit = Unit::whole;
  double begin = 0;  // frames or seconds, included; the centre frame
  double end = 0;    // excluded
};

// A box in fractions of the frame, 0..1, with a multi-hot set of classes.
struct LabelledBox {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::vector<std::int64_t> classes;
  double score = 1;  // of a detector
};

// What is to be learned. A single class, or a vector with one value per class (soft or multi-hot), or boxes.
struct Target {
  std::int64_t label = -1;    // class index; -1: not given
  std::vector<float> values;  // [classes]; empty: not given
  std::vector<LabelledBox> boxes;
  std::map<std::string, double> named;
};

struct Item {
  std::vector<Source> sources;  // one per modality
  Span span;
  Target target;
  float weight = 1;
  std::string key;  // names the item in logs and results: "walk/denis_walk.avi"
};

// A data set is an index: it names files and labels. The host decodes, plans, augments, batches, shards and
// caches.
class KINEMA_API Dataset {
 public:
  static constexpr std::string_view kKind = "dataset";
  virtual ~Dataset();

  // [every rank] Fixed after construction.
  virtual std::size_t size() const = 0;
  // Class names in label order. [every rank]
  virtual std::vector<std::string> classes() const = 0;
  // Equal at every call for the same index; throws std::out_of_range for index >= size().
  // [worker threads, concurrent]
  virtual Item item(std::size_t index) const = 0;
};

}  // namespace kinema
