#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/data/work_list.h"
#include "framework/media/transcode.h"

namespace kinema::data {

struct TranscodeRun {
  std::filesystem::path output;
  media::TranscodeOptions options;
  std::int64_t threads = 0;  // 0: one a core
  media::Limits limits;
  std::function<void(std::size_t finished, std::size_t count)> progress;  // on the caller's thread
};

struct TranscodeReport {
  std::size_t written = 0, finished_before = 0, copied = 0;
  std::vector<RefusedFile> refused;                // in the order of the work
  std::int64_t bytes_before = 0, bytes_after = 0;  // of the videos that are there now
};

// Writes every file under its name into the output folder, several at a time. What is there already, made
// from the same source with the same settings, is left alone; a file that was not made here is never touched,
// and nothing is written outside of the folder. Throws Error(usage) for a folder of other settings and
// Error(run) when the disk takes no more; bad videos are in the report.
TranscodeReport transcode_files(const TranscodeWork& work, const TranscodeRun& run);

// The options as JSON, with `more` at the end.
std::string transcode_settings(const media::TranscodeOptions& options, const std::string& more = {});

}  // namespace kinema::data
