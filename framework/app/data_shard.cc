#include <fmt/format.h>

#include <filesystem>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/json_text.h"
#include "framework/app/text_table.h"
#include "framework/app/transcode_target.h"
#include "framework/data/shard.h"
#include "framework/tracking/run_file.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

using Json = nlohmann::ordered_json;

data::ShardRun run_of(const DataShardArguments& arguments) {
  data::ShardRun run;
  run.options.fps = arguments.fps;
  run.options.short_side = static_cast<int>(arguments.short_side);
  if (arguments.quality) run.options.quality = static_cast<int>(*arguments.quality);
  run.options.gop = static_cast<int>(arguments.gop);
  run.threads = arguments.threads;
  run.shard_bytes = arguments.shard_mb << 20;
  return run;
}

Json json_of(const data::ShardReport& report) {
  return {{"videos", report.written + report.finished_before},
          {"not_written", report.refused.size()},
          {"frames", report.frames},
          {"bytes_before", report.bytes_before},
          {"bytes_after", report.bytes_after},
          {"psnr_mean", report.psnr_mean},
          {"psnr_least", report.psnr_least},
          {"psnr_least_video", report.least_name},
          {"lead_in_before", report.lead_in_before},
          {"lead_in_after", report.lead_in_after}};
}

void print_report(const data::ShardReport& report, const data::ShardRun& run) {
  print_refused(report.refused);
  print(fmt::format("{} written, {} there before, {} not written", counted(report.written, "video"),
                    report.finished_before, report.refused.size()));
  if (report.written + report.finished_before == 0) return;
  print(fmt::format("size: {} before, {} after in {}",
                    text_of_bytes(static_cast<double>(report.bytes_before)),
                    text_of_bytes(static_cast<double>(report.bytes_after)), run.output.string()));
  print(fmt::format("pictures: PSNR {:.1f} dB on average of {} frames a video, {:.1f} dB at least ({})",
                    report.psnr_mean, run.options.compared, report.psnr_least, report.least_name));
  print(fmt::format("frames in front of a random one: {:.1f} before, {:.1f} after", report.lead_in_before,
                    report.lead_in_after));
}

}  // namespace

int data_shard(const DataShardArguments& arguments) {
  FileProgress progress("writing shards");
  data::ShardRun run = run_of(arguments);
  run.progress = std::ref(progress);
  const TranscodeTarget target = open_transcode_target(arguments.target, arguments.output, run);
  run.root = target.start;
  const data::ShardReport report = data::shard_files(target.work, run);
  tracking::write_atomically((run.output / "shards.json").string(), json_lines(json_of(report)) + "\n");
  print_report(report, run);
  note(fmt::format("[loader] shards = \"{}\" reads from them", run.output.string()));
  return report.refused.empty() ? 0 : static_cast<int>(ErrorKind::data);
}

}  // namespace kinema::app
