#include "framework/app/data_target.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "framework/app/console.h"
#include "framework/eval/assembly.h"
#include "kinema/error.h"

namespace kinema::app {

TargetKind target_kind(const std::string& target) {
  std::error_code unknown;  // what is missing is complained about by who opens it
  if (std::filesystem::is_directory(target, unknown)) return TargetKind::folder;
  return target.ends_with(".toml") ? TargetKind::experiment : TargetKind::list;
}

void check_overrides(const DataTarget& target) {
  if (target.overrides.empty() || target_kind(target.path) == TargetKind::experiment) return;
  throw Error(
      ErrorKind::usage, "command line",
      fmt::format("one argument too many: expected changes behind an experiment file alone, got \"{}\"",
                  target.overrides.front()));
}

std::vector<data::NamedFile> files_of(const std::string& target) {
  std::vector<data::NamedFile> files =
      target_kind(target) == TargetKind::folder ? data::files_in(target) : data::files_of_list(target);
  if (files.empty()) throw Error(ErrorKind::data, target, "no files: expected at least one video, got none");
  return files;
}

data::Split open_split(const Session& session, const std::string& split) {
  const auto& section = split == "train" ? session.experiment.train_data : session.experiment.eval_data;
  if (!section)
    throw Error(ErrorKind::usage, "data." + split,
                fmt::format("missing section: expected a data set for --split {}, got none", split));
  const eval::Workshop workshop{session.experiment, *session.registry, {}, console_lines()};
  return {split, workshop.make<Dataset>(section, "data." + split)};
}

std::vector<data::Split> open_splits(const Session& session) {
  std::vector<data::Split> splits = {open_split(session, "train")};
  if (session.experiment.eval_data) splits.push_back(open_split(session, "val"));
  return splits;
}

Value resolved_section(const Session& session, const std::string& split) {
  const Value* data = session.experiment.resolved.find("data");
  const Value* section = data != nullptr ? data->find(split) : nullptr;
  return section != nullptr ? *section : Value::table();
}

void FileProgress::operator()(std::size_t finished, std::size_t count) {
  if (over_) return;
  if (!begun_) progress_.begin(label_, static_cast<std::int64_t>(count));
  begun_ = true;
  progress_.update(static_cast<std::int64_t>(finished));
  over_ = finished == count;
  if (over_) progress_.end();
}

}  // namespace kinema::app
