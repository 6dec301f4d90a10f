#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/data/check_files.h"
#include "framework/data/file_list.h"
#include "framework/media/transcode.h"

namespace kinema::data {

struct TranscodeRun {
  std::filesystem::path output;
  media::TranscodeOptions options;
  std::int64_t threads = 0;  // 0: one a core
  media::Limits limits;
  std::function<void(std::size_t finished, std::size_t count)> progress;  // on the caller's thread
};

// What is to be done: `copies` are annotations, which are taken along as they are.
struct TranscodeWork {
  std::vector<NamedFile> videos, copies;
};

struct RefusedFile {
  std::string name, reason;
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

// The videos of a folder, and its annotations (.txt, .csv, .json, .tsv, .toml, .pbtxt); not what is below
// `output`.
TranscodeWork work_of_folder(const std::filesystem::path& folder, const std::filesystem::path& output);
// The videos of items by their names under `root`, and the annotations there. Throws Error(usage) for items
// that say frame numbers, which another rate would make wrong.
TranscodeWork work_of_splits(const std::vector<Split>& splits, const std::filesystem::path& root,
                             const TranscodeRun& run);

}  // namespace kinema::data
