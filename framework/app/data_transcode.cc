#include <fmt/format.h>

#include <filesystem>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/text_table.h"
#include "framework/app/transcode_target.h"
#include "framework/data/transcode.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

void print_report(const data::TranscodeReport& report, const std::filesystem::path& output) {
  print_refused(report.refused);
  print(fmt::format("{} written, {} there before, {} not written, {} copied; {} before, {} after in {}",
                    counted(report.written, "video"), report.finished_before, report.refused.size(),
                    counted(report.copied, "annotation"),
                    text_of_bytes(static_cast<double>(report.bytes_before)),
                    text_of_bytes(static_cast<double>(report.bytes_after)), output.string()));
}

}  // namespace

int data_transcode(const DataTranscodeArguments& arguments) {
  FileProgress progress("transcoding");
  data::TranscodeRun run;
  run.options.fps = arguments.fps;
  if (arguments.short_side) run.options.short_side = static_cast<int>(*arguments.short_side);
  if (arguments.quality) run.options.quality = static_cast<int>(*arguments.quality);
  run.options.gop = static_cast<int>(arguments.gop);
  run.threads = arguments.threads;
  run.progress = std::ref(progress);
  const TranscodeTarget target = open_transcode_target(arguments.target, arguments.output, run);
  const data::TranscodeReport report = data::transcode_files(target.work, run);
  print_report(report, run.output);
  for (const std::filesystem::path& root : target.roots)
    note(fmt::format("{} is now {}", root.string(),
                     (run.output / root.lexically_relative(target.start)).lexically_normal().string()));
  return report.refused.empty() ? 0 : static_cast<int>(ErrorKind::data);
}

}  // namespace kinema::app
