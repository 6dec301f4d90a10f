#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "framework/data/transcode.h"

namespace kinema::data {

// How videos are written into shards: settings that random clips decode fast with.
struct ShardRun : TranscodeRun {
  ShardRun();
  std::filesystem::path root;  // where the names start
  std::int64_t shard_bytes = std::int64_t{256} << 20;
};

// Of all videos of the work that are in the shards now.
struct ShardReport {
  std::size_t written = 0, finished_before = 0;
  std::vector<RefusedFile> refused;  // in the order of the work
  std::int64_t bytes_before = 0, bytes_after = 0;
  std::int64_t frames = 0;                       // afterwards
  double lead_in_before = 0, lead_in_after = 0;  // means over all frames
  double psnr_mean = 0, psnr_least = 0;          // in dB; over the videos, and of one frame
  std::string least_name;                        // whose frame that is
};

// Writes every video anew, several at a time, and appends them to the shards in the order of the work. What
// was finished from the same source is left alone; a run that was killed goes on where it was, and leaves the
// same bytes as one that was not. A video that cannot be read is noted as such. Throws Error(usage) for a
// folder of other settings, Error(run) when the disk takes no more.
ShardReport shard_files(const TranscodeWork& work, const ShardRun& run);

}  // namespace kinema::data
