#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "framework/data/batch.h"
#include "framework/data/sampler.h"
#include "framework/data/temporal.h"
#include "framework/data/transform_list.h"
#include "framework/media/limits.h"
#include "kinema/dataset.h"

namespace kinema::data {

class FrameCache;
class ShardSet;

// What turns an item into a clip: the same for all threads, fixed for the run.
struct ClipRecipe {
  std::shared_ptr<const Dataset> dataset;
  TemporalRule temporal;
  TransformList transforms;
  bool training = true;
  std::int64_t spatial_views = 1;
  std::uint64_t seed = 1;
  std::vector<std::int64_t> mirrored =
      {};                    // the label that a mirrored clip of each label gets; empty: its own
  bool item_weights = true;  // false: all items weigh 1
  media::Limits limits;
  std::shared_ptr<FrameCache> cache = nullptr;       // null: everything is decoded each time
  std::shared_ptr<const ShardSet> shards = nullptr;  // videos come from there, not from their own files
  // Of optical flow, in place of what the transforms say of pictures.
  std::array<float, 3> flow_mean = {0.5, 0.5, 0};
  std::array<float, 3> flow_std = {0.5, 0.5, 1};
};

// Channels of a source of optical flow: right, down.
inline constexpr std::int64_t kFlowChannels = 2;

// One source of a clip, ready to be decoded.
struct PlannedSource {
  Source source;
  Size frame;  // size of a whole frame
  std::int64_t frame_count = 0;
  double fps = 0;
  std::int64_t channels = 3;  // that mean something
  ClipPlan plan = {};         // plan.boxes belong to the item's boxes, in their order
};

struct PlannedClip {
  ClipRequest request;
  std::size_t used = 0;  // index of `item`
  Item item;
  std::vector<PlannedSource> sources;  // one per modality, in the item's order
};

// What has been noticed while one source was read.
struct ReadFacts {
  std::int64_t decoder_errors = 0;
  std::string first_message;
};

// An open video, an own FrameSource, a row of numbered pictures or a pair of rows, behind one door.
class OpenSource {
 public:
  virtual ~OpenSource();
  virtual Size size() const = 0;
  virtual std::int64_t frame_count() const = 0;
  virtual double fps() const = 0;
  virtual std::int64_t channels() const { return 3; }
  // uint8 [frames, output.height, output.width, 3] into `out`.
  virtual ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry,
                         std::uint8_t* out) = 0;
};

// Opens one source; a video from the shards where there are some. Throws Error(data) naming the file.
std::unique_ptr<OpenSource> open_source(const Source& source, const media::Limits& limits,
                                        const ShardSet* shards = nullptr);
// What names a source in messages.
std::string source_name(const Source& source);

// Makes clips; keeps the files open that it used last: `open_files`, or more small ones. One per thread.
class ClipReader {
 public:
  explicit ClipReader(std::shared_ptr<const ClipRecipe> recipe, std::size_t open_files = 8);
  ~ClipReader();

  // Decides frames and geometry, without reading pixels. `item` stands in for the requested one when it
  // differs (a replacement); the random numbers stay those of the request. Throws Error(data) for a bad
  // video.
  // All sources show one window of the scene: the transforms plan it for the first source, the others take it
  // scaled to their own frames. Optical flow, and what has the first one's frame rate, shows the same frame
  // numbers, too, out of those that all of them have: a flow is a picture shorter than its video. Another
  // rate: the same draws over frames of its own.
  PlannedClip plan(const ClipRequest& request, std::size_t item);
  // Pixels of source `s` as the model sees them, before normalisation: [frames, height, width, 3]. The pixel
  // steps of transforms are for pictures: optical flow goes without them.
  ReadFacts read(const PlannedClip& clip, std::size_t s, std::uint8_t* out);
  // The same after the first `transforms` of the list alone, and after none: geometry is done, pixels are as
  // decoded.
  ReadFacts read_until(const PlannedClip& clip, std::size_t s, std::size_t transforms, std::uint8_t* out);
  // The same frames as they are in the file, without any geometry and pixel step.
  ReadFacts read_whole(const PlannedClip& clip, std::size_t s, std::uint8_t* out);

  // The source, open: one of those that are kept, or opened now. Valid until the next call of any function.
  OpenSource& open(const Source& source);

  void close_files();

  // What plan() was last called for and when, or when begin() was called since, for a thread that watches
  // this one.
  struct Task {
    std::size_t item = 0;
    std::chrono::steady_clock::time_point since;
  };
  Task task() const;
  void begin();

 private:
  std::shared_ptr<const ClipRecipe> recipe_;
  std::size_t capacity_;
  struct Entry;
  std::list<Entry> kept_;  // most recently used first
  mutable std::mutex mutex_;
  Task task_;  // guarded by it
};

// The description of a planned clip that travels with its pixels.
ClipInfo clip_info(const PlannedClip& clip);

}  // namespace kinema::data
