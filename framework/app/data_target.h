#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/app/session.h"
#include "framework/data/check_files.h"
#include "framework/data/file_list.h"
#include "framework/tracking/progress.h"

// What the commands under `kinema data` look at.
namespace kinema::app {

enum class TargetKind { experiment, folder, list };

// A folder; an experiment file ends in .toml; everything else is a list.
TargetKind target_kind(const std::string& target);

// Throws Error(usage) for overrides of a target that is no experiment.
void check_overrides(const DataTarget& target);
// The files of a folder or of a list. Throws Error(data) when there is none.
std::vector<data::NamedFile> files_of(const std::string& target);

// The data set of a split. Throws Error(usage) where the experiment has no such section.
data::Split open_split(const Session& session, const std::string& split);
// train, and val where the experiment has it.
std::vector<data::Split> open_splits(const Session& session);

// [data.<split>] with every default and absolute paths; a table without keys where there is no such section.
Value resolved_section(const Session& session, const std::string& split);

// A display of files that are being read, for CheckOptions::progress and the like.
class FileProgress {
 public:
  explicit FileProgress(std::string label) : label_(std::move(label)) {}
  void operator()(std::size_t finished, std::size_t count);

 private:
  std::string label_;
  tracking::Progress progress_{tracking::stderr_output()};
  bool begun_ = false, over_ = false;
};

}  // namespace kinema::app
