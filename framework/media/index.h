#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "framework/media/limits.h"
#include "framework/media/orientation.h"
#include "kinema/geometry.h"

namespace kinema::media {

struct VideoInfo {
  Size size;                 // displayed: after rotation, sample aspect not applied
  Size stored_size;          // of the first decoded frame, before rotation
  Orientation orientation;   // from the container's display matrix
  int rotation_degrees = 0;  // clockwise, already applied to what read() delivers
  std::int64_t frame_count = 0;
  double fps = 0;         // average; 25 when the file tells nothing
  double duration_s = 0;  // from the first frame's time to the last frame's end
  std::string codec;      // "h264"
  std::string container;  // "mov,mp4,m4a,3gp,3g2,mj2"
  std::string pixel_format;
  int sample_aspect_width = 1, sample_aspect_height = 1;
  int video_streams = 1;
  int stream = 0;                  // the chosen one
  bool interlaced = false;         // frames are delivered woven, as stored
  std::int64_t header_frames = 0;  // what the container claims; 0 when nothing
};

struct IndexPacket {
  std::int64_t position = -1;  // byte offset in the file, -1 when unknown
  std::int32_t size = 0;
  std::int32_t frame = -1;  // its only frame; -1: none, or several
  bool droppable = false;
};

struct IndexFrame {
  std::uint32_t packet = 0;      // the packet that the frame was decoded from
  std::uint32_t occurrence = 0;  // 1 for the second frame of one packet ...
  double time_s = 0;
};

struct IndexEntry {
  std::uint32_t packet = 0;
  std::uint32_t frame = 0;  // this frame and later ones are exact when decoding begins at `packet`
  std::int64_t seek_timestamp = 0;
  bool open = false;  // then decoding begins one entry earlier
};

// What is needed to decode frame k of a file and nothing else. A value; read-only once built.
//
// Frame k is the k-th frame (from 0) that a decode of the whole stream from its first packet delivers. The
// index comes from a scan of the packets when these leave no doubt (every packet holds one whole, well-formed
// picture, times are present and distinct, reordering is within the decoder's delay, nothing is discarded or
// marked corrupt), else from that decode.
struct Index {
  VideoInfo info;
  std::vector<IndexPacket> packets;
  std::vector<IndexFrame> frames;
  std::vector<IndexEntry> entries;  // by packet; the first is packet 0
  bool decoded = false;             // by decoding everything, not by a scan
  bool from_start_only = false;     // every read decodes from packet 0 with a fresh decoder and counts
  std::string why_decoded;          // the scan's first doubt
  std::int64_t decode_errors = 0;   // messages while the whole file was decoded
  std::int64_t corrupt_frames = 0;

  std::shared_ptr<const void> stream_parameters;  // what probing found out; private to this folder

  std::size_t bytes() const;
};

using IndexPtr = std::shared_ptr<const Index>;

// The process-wide cache of indexes, keyed by (path, size, mtime). Thread safe; least recently used ones go
// first when the sum of Index::bytes() passes the budget.
class IndexCache {
 public:
  static IndexCache& global();
  explicit IndexCache(std::size_t budget_bytes = std::size_t{256} << 20);
  ~IndexCache();

  IndexPtr find(const std::string& path, std::int64_t file_bytes, std::int64_t mtime_ns);
  void put(const std::string& path, std::int64_t file_bytes, std::int64_t mtime_ns, IndexPtr index);
  void clear();
  std::size_t size() const;
  void set_budget(std::size_t bytes);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The index of a file: from the global cache, else built and put there. Throws Error(data) naming `path`.
IndexPtr index_of(const std::string& path, const Limits& limits = {});

}  // namespace kinema::media
