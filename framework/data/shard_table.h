#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "framework/data/work_table.h"

namespace kinema::data {

// What making a shard did to a video.
struct ShardFigures {
  std::int32_t frames = 0;                      // afterwards
  float lead_in_before = 0, lead_in_after = 0;  // media::mean_lead_in()
  float psnr_mean = 0, psnr_least = 0;          // of the compared frames, in dB
};

// Where a video lies: its container, and behind that its index as media::index_to_bytes() writes it.
struct ShardPlace {
  std::int32_t shard = -1;
  std::int32_t index_bytes = 0;
  std::int64_t offset = 0, bytes = 0;  // of the container
  std::uint64_t checksum = 0;          // XXH3 of both

  std::int64_t end() const { return offset + bytes + index_bytes; }
};

// A line of shards.tsv: a video, or why there is none (place.shard is -1).
struct ShardRecord {
  std::string_view name;  // below the root, as given; names no place outside of it
  SourceStamp source;
  ShardPlace place;
  ShardFigures figures;
  std::string_view reason;
};
std::string line_of(const ShardRecord& record);

// The first line of shards.tsv: where the names start, and the frame rate where it was changed (else 0).
struct ShardHead {
  std::string root;
  double fps = 0;
};
std::string line_of(const ShardHead& head);

// shards.tsv, read-only. A later line about a name stands for an earlier one; a last line without an end is
// not there.
class ShardTable {
 public:
  ShardTable() = default;
  // Throws Error(data) with the lines that are not to be believed: no numbers, names that lead out of the
  // root, parts that overlap. `where` is the file.
  ShardTable(std::string_view text, const std::string& where);
  ShardTable(ShardTable&&) = default;
  ShardTable& operator=(ShardTable&&) = default;

  const ShardHead& head() const { return head_; }
  const ShardRecord* find(std::string_view name) const;
  // One a name, by name.
  const std::vector<ShardRecord>& records() const { return records_; }
  // How many bytes of each shard are spoken for, by lines that no longer count too.
  const std::vector<std::int64_t>& shard_bytes() const { return shard_bytes_; }

  static constexpr const char* kFile = "shards.tsv";
  static constexpr std::int32_t kMostShards = 1'000'000;

 private:
  ShardHead head_;
  std::vector<char> texts_;  // of names and reasons
  std::vector<ShardRecord> records_;
  std::vector<std::int64_t> shard_bytes_;
};

// folder / shard-00007.bin
std::filesystem::path shard_path(const std::filesystem::path& folder, std::int32_t shard);

// A part of a file, and its checksum. Throws Error(data) naming `name` when it cannot be read.
std::string read_part(const std::filesystem::path& file, std::int64_t offset, std::int64_t bytes,
                      const std::string& name);
std::uint64_t checksum_of(const std::filesystem::path& file, std::int64_t offset, std::int64_t bytes,
                          const std::string& name);

}  // namespace kinema::data
