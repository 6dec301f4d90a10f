#include "framework/app/transcode_target.h"

#include <fmt/format.h>

#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/data/item_list.h"
#include "framework/data/roots.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// Where names start: the root of all data sets, or what their roots have in common.
fs::path start_of(const std::vector<fs::path>& roots, const std::vector<data::Split>& splits) {
  return roots.empty() ? data::common_folder(*splits.front().items) : data::common_folder(roots);
}

}  // namespace

TranscodeTarget open_transcode_target(const DataTarget& target, const std::string& output,
                                      data::TranscodeRun& run) {
  check_overrides(target);
  run.output = fs::absolute(output).lexically_normal();
  TranscodeTarget opened;
  opened.start = fs::absolute(target.path).lexically_normal();
  if (!opened.start.has_filename()) opened.start = opened.start.parent_path();
  if (const TargetKind kind = target_kind(target.path); kind == TargetKind::experiment) {
    const Session session = open_session({target.path, target.overrides});
    for (const char* split : {"train", "val"})
      data::add_roots(resolved_section(session, split), opened.roots);
    const std::vector<data::Split> splits = open_splits(session);
    opened.start = start_of(opened.roots, splits);
    opened.work = data::work_of_splits(splits, opened.start, run.output, run.options.fps.has_value());
  } else if (kind == TargetKind::list) {
    opened.start = opened.start.parent_path();
    opened.work.videos = files_of(target.path);
  } else {
    opened.work = data::work_of_folder(opened.start, run.output);
  }
  std::error_code failed;
  if (fs::weakly_canonical(run.output, failed) == fs::weakly_canonical(opened.start, failed))
    throw Error(
        ErrorKind::usage, "command line",
        fmt::format("--output is the folder of the videos themselves: expected another one, got \"{}\"",
                    output));
  return opened;
}

void print_refused(const std::vector<data::RefusedFile>& refused) {
  for (const data::RefusedFile& file : refused)
    print(fmt::format("not written: {}: {}", file.name, file.reason));
}

}  // namespace kinema::app
