#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/flow/write_flow.h"
#include "kinema/error.h"

namespace kinema::flow {

// A video and the folder below the output that its flow goes to: "walk/denis".
struct FlowJob {
  Source source;
  std::string folder;
};

struct Extracted {
  std::int64_t written = 0, already_there = 0;  // videos
  std::int64_t pairs = 0;                       // written now
  std::vector<Problem> bad;                     // videos that could not be used, in the order of the jobs
};

// How far an extraction is.
struct ExtractProgress {
  std::int64_t videos = 0;  // finished, bad ones and those that were there already too
  std::int64_t pairs = 0;
};

// Writes the flow of all videos below `output`, several at a time. What is there already is left alone: a run
// that was stopped goes on. The folder remembers its options (kinema_flow.txt); others are Error(usage), as
// they would mix two kinds of flow. Folders that would leave `output` are Error(usage). `tell` is called on
// the calling thread, a few times a second.
Extracted extract(const std::vector<FlowJob>& jobs, const std::filesystem::path& output,
                  const FlowOptions& options, int threads,
                  const std::function<void(const ExtractProgress&)>& tell);

}  // namespace kinema::flow
