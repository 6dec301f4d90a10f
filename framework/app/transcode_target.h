#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/data/transcode.h"

namespace kinema::app {

// What a command that writes videos anew has to do, from its target.
struct TranscodeTarget {
  data::TranscodeWork work;
  std::filesystem::path start;               // where the names start
  std::vector<std::filesystem::path> roots;  // of the experiment's data sets
};

// Opens the target and sets the output folder and the progress display of `run`, whose options are the
// command's. Throws Error(usage) for overrides without an experiment and an output that is the folder of the
// videos.
TranscodeTarget open_transcode_target(const DataTarget& target, const std::string& output,
                                      data::TranscodeRun& run);

// A line for each file that was not written.
void print_refused(const std::vector<data::RefusedFile>& refused);

}  // namespace kinema::app
