#include <fmt/format.h>

#include <filesystem>
#include <vector>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/text_table.h"
#include "framework/data/item_list.h"
#include "framework/data/transcode.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

namespace fs = std::filesystem;

// Where names start: the root of all data sets, or what their roots have in common.
fs::path start_of(const std::vector<fs::path>& roots, const std::vector<data::Split>& splits) {
  return roots.empty() ? data::common_folder(*splits.front().items) : data::common_folder(roots);
}

void print_report(const data::TranscodeReport& report, const fs::path& output) {
  for (const data::RefusedFile& file : report.refused)
    print(fmt::format("not written: {}: {}", file.name, file.reason));
  print(fmt::format("{} written, {} there before, {} not written, {} copied; {} before, {} after in {}",
                    counted(report.written, "video"), report.finished_before, report.refused.size(),
                    counted(report.copied, "annotation"),
                    text_of_bytes(static_cast<double>(report.bytes_before)),
                    text_of_bytes(static_cast<double>(report.bytes_after)), output.string()));
}

}  // namespace

int data_transcode(const DataTranscodeArguments& arguments) {
  check_overrides(arguments.target);
  FileProgress progress("transcoding");
  data::TranscodeRun run;
  run.output = fs::absolute(arguments.output).lexically_normal();
  run.options.fps = arguments.fps;
  if (arguments.short_side) run.options.short_side = static_cast<int>(*arguments.short_side);
  if (arguments.quality) run.options.quality = static_cast<int>(*arguments.quality);
  run.options.gop = static_cast<int>(arguments.gop);
  run.threads = arguments.threads;
  run.progress = std::ref(progress);

  data::TranscodeWork work;
  fs::path start = fs::absolute(arguments.target.path).lexically_normal();
  std::vector<fs::path> roots;
  if (const TargetKind kind = target_kind(arguments.target.path); kind == TargetKind::experiment) {
    const Session session = open_session({arguments.target.path, arguments.target.overrides});
    for (const char* split : {"train", "val"}) add_roots(resolved_section(session, split), roots);
    const std::vector<data::Split> splits = open_splits(session);
    start = start_of(roots, splits);
    work = data::work_of_splits(splits, start, run);
  } else if (kind == TargetKind::list) {
    start = start.parent_path();
    work.videos = files_of(arguments.target.path);
  } else {
    work = data::work_of_folder(start, run.output);
  }
  std::error_code failed;
  if (fs::weakly_canonical(run.output, failed) == fs::weakly_canonical(start, failed))
    throw Error(
        ErrorKind::usage, "command line",
        fmt::format("--output is the folder of the videos themselves: expected another one, got \"{}\"",
                    arguments.output));
  const data::TranscodeReport report = data::transcode_files(work, run);
  print_report(report, run.output);
  for (const fs::path& root : roots)
    note(fmt::format("{} is now {}", root.string(),
                     (run.output / root.lexically_relative(start)).lexically_normal().string()));
  return report.refused.empty() ? 0 : static_cast<int>(ErrorKind::data);
}

}  // namespace kinema::app
