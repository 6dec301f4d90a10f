#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
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

// Where the frames of one modality come from: exactly one of video, pattern and frames.
struct Source {
  std::string modality = "rgb";
  std::filesystem::path video;    // a file with a video stream
  std::filesystem::path pattern;  // numbered pictures: "dir/img_%05d.jpg"
  // With it the frames are pairs of grey pictures, optical flow: `pattern` holds how far each pixel moves to
  // the right, this one how far down; 128 is standing still. The model sees two channels.
  std::filesystem::path pattern_down;
  std::int64_t first_number = 1;  // of the pattern
  double pattern_fps = 25;        // of the pattern
  std::shared_ptr<const FrameSource> frames;
};

// The part of a source that belongs to the item.
struct Span {
  enum class Unit { whole, frames, seconds, centre, centre_seconds };
  Unit unit = Unit::whole;
  double begin = 0;  // frames or seconds, included; the frame, or the second, in the clip's middle
  double end = 0;    // excluded
};

// A box in fractions of the frame, 0..1, with a multi-hot set of classes.
struct LabelledBox {
  double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
  std::vector<std::int64_t> classes;
  double score = 1;  // of a detector
};

// A class that is there for a part of the time only.
struct TimedLabel {
  std::int64_t label = 0;
  Span span;  // frames or seconds of the file
};

// What is to be learned. A single class, or a vector with one value per class (soft or multi-hot), or boxes.
struct Target {
  std::int64_t label = -1;    // class index; -1: not given
  std::vector<float> values;  // [classes]; empty: not given
  // With it `values` are those of the whole item, which evaluations are measured by; a training clip learns
  // the classes that any of its frames shows.
  std::vector<TimedLabel> timed;
  std::vector<LabelledBox> boxes;  // of the detection's people: the model gives a row of scores for each
  // What the scores of `boxes` are measured against where these are a detector's; nothing: `boxes`
  // themselves.
  std::optional<std::vector<LabelledBox>> truth;
  std::map<std::string, double> named;
};

// The moment of a video that boxes are drawn on.
struct KeyFrame {
  std::string video;
  std::int64_t second = 0;
};

struct Item {
  std::vector<Source> sources;  // one per modality
  Span span;
  Target target;
  float weight = 1;
  std::string key;                         // names the item in logs and results: "walk/denis_walk.avi"
  std::optional<KeyFrame> key_frame = {};  // of an item with boxes
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

// Ability, asked for with dynamic_cast: a set whose items are key frames with boxes. Its models give a row a
// box, and its metrics are those that measure boxes.
struct KINEMA_API HasBoxes {
  virtual ~HasBoxes();
  // The numbers that files of detections write, in label order: AVA counts from 1 and leaves some out. Empty:
  // not such a set after all, which is how a wrapper around any set answers for what it wraps. [every rank]
  virtual std::vector<std::int64_t> class_ids() const = 0;
};

}  // namespace kinema
