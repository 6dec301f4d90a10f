#pragma once

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "framework/data/shard_table.h"
#include "framework/data/work_table.h"

namespace kinema::data {

// Appends videos to the shards of a folder: bytes first, then, when they are on the disk, the line about
// them. What a killed process left behind the last line is cut off. One thread.
class ShardWriter {
 public:
  // A new shard begins when the one at hand would become longer than `shard_bytes`. Throws Error(usage) for a
  // folder of other settings or another root, Error(run) when another process is at it or a shard lost bytes.
  ShardWriter(std::filesystem::path folder, const std::string& settings, const ShardHead& head,
              std::int64_t shard_bytes);

  // What was there when the writer was made.
  const ShardTable& before() const { return before_; }
  // `container` is a file. Its place is filled in.
  ShardRecord append(ShardRecord record, const std::filesystem::path& container, const std::string& index);
  // A video that cannot be had.
  void append_refusal(const ShardRecord& record);

  static constexpr const char* kSettings = "settings.json";

 private:
  void cut_tails();
  std::filesystem::path folder_;
  WorkTable table_;
  ShardTable before_;
  std::int64_t shard_bytes_;
  std::int32_t shard_ = 0;   // the one at hand
  std::int64_t length_ = 0;  // of it
};

}  // namespace kinema::data
