#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "kinema/geometry.h"

namespace kinema::data {

struct FrameCacheOptions {
  std::filesystem::path folder;
  std::int64_t budget_bytes = 0;    // that all processes together may keep in the folder
  bool remove_when_unused = false;  // the last process that uses the folder removes it
  int short_side = 0;               // frames whose short side is longer are kept at this size; 0: as they are
};

// Decoded frames in files that the processes of one machine share and map into their memory. Thread safe.
//
// A video (any source that has a stamp) is kept in blocks of kBlock consecutive frames, RGB24 [frames,
// height, width, 3], one file each. A block appears whole or not at all: it is written under another name and
// then linked to its own, so that a crash leaves nothing that anybody would read. Every block carries the
// stamp of its video and a checksum, both compared when a process maps it first; what does not hold is
// removed and made anew. The folder is on one file system of one machine; a network file system is no place
// for it.
//
// When the folder would grow beyond the budget, the blocks go first that no process has used for longest.
// Uses are noted at most every kTouch seconds.
class FrameCache {
 public:
  static constexpr std::int64_t kBlock = 32;
  static constexpr double kTouch = 10;

  // Makes the folder. Throws Error(run) when that fails, and for one that others may write to.
  explicit FrameCache(FrameCacheOptions options);
  ~FrameCache();
  FrameCache(const FrameCache&) = delete;
  FrameCache& operator=(const FrameCache&) = delete;

  // What is known of a video without opening it.
  struct Facts {
    Size size;  // of the video's frames
    std::int64_t frame_count = 0;
    double fps = 0;
    std::int64_t channels = 3;
    bool operator==(const Facts&) const = default;
  };
  // `stamp` names a video in a certain state: another file or another time gives another one.
  std::optional<Facts> facts(const std::string& stamp);
  void put_facts(const std::string& stamp, const Facts& facts);

  // Size in which frames of that size are kept.
  Size kept_size(Size size) const;

  // A mapped block; the pixels stay where they are for as long as anybody holds it.
  using Pixels = std::shared_ptr<const std::uint8_t>;
  // Null when it is not there. `frames` are those of this block, kBlock or what is left of the video.
  Pixels find(const std::string& stamp, std::int64_t block, std::int64_t frames, Size kept);
  // Writes a block of `frames` whole frames; false when the folder cannot take it, which is no error.
  bool put(const std::string& stamp, std::int64_t block, std::int64_t frames, Size kept,
           std::span<const std::uint8_t> pixels);

  struct Stats {
    std::int64_t hits = 0, misses = 0;  // blocks
    std::int64_t damaged = 0;           // removed because their contents did not hold
    std::int64_t evicted = 0;
    std::int64_t refused =
        0;                   // blocks that the folder did not take: the disk is full, or the budget too small
    std::int64_t bytes = 0;  // of all processes, now
  };
  Stats stats() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace kinema::data
