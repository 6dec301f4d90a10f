#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/shard_table.h"
#include "framework/media/limits.h"
#include "framework/media/video_part.h"
#include "kinema/dataset.h"

namespace kinema::media {
class Video;
}

namespace kinema::data {

// Videos that are read from the shards of a folder in place of their own files. Thread safe.
class ShardSet {
 public:
  // `root` is where names start beside what the table says itself: the data set may have moved. Empty:
  // nothing beside it. Throws Error(usage) for a folder without a table, Error(data) for a table that cannot
  // be true.
  ShardSet(std::filesystem::path folder, std::filesystem::path root);

  const std::filesystem::path& folder() const { return folder_; }
  const ShardTable& table() const { return table_; }
  // Null for a video that is not in the table.
  const ShardRecord* find(const std::filesystem::path& video) const;

  // Throws Error(data) with every video of the data set that is not in the table or was changed since, and
  // with items that mean frame numbers of the original where the rate is another one.
  void check(const Dataset& dataset) const;

  // Throws Error(data) naming the video: not in the table, no video when the shards were made, or damaged
  // (its checksum is compared when it is opened for the first time).
  media::Video open(const std::filesystem::path& video, const media::Limits& limits) const;

  // The same of a record, for one who looks through all of them.
  void verify(const ShardRecord& record, const std::string& name) const;
  media::VideoPart part_of(const ShardRecord& record, const std::string& name) const;
  media::Video open(const ShardRecord& record, const std::string& name, const media::Limits& limits) const;

 private:
  std::filesystem::path folder_, root_;
  ShardTable table_;
  mutable std::vector<std::atomic<bool>> verified_;  // by record
};

// What [loader] shards names, null without it. Whoever asks while another one has it gets the same.
std::shared_ptr<const ShardSet> shards_of(const config::Experiment& experiment);

// Whether a folder looks like one of shards.
bool holds_shards(const std::filesystem::path& folder);

}  // namespace kinema::data
