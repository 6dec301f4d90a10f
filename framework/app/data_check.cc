#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/data_target.h"
#include "framework/app/json_text.h"
#include "framework/app/text_table.h"
#include "framework/data/check_files.h"
#include "framework/data/check_shards.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

using Json = nlohmann::ordered_json;

Json json_of(const data::CheckedFile& file) {
  const media::VideoInfo& info = file.found.info;
  Json json = {{"path", file.name},
               {"kind", data::name_of(file.kind)},
               {"usable", file.found.usable},
               {"bytes", file.found.bytes}};
  if (file.items > 0) json["items"] = file.items;
  json["faults"] = Json::array();
  for (const media::Fault& fault : file.found.faults)
    json["faults"].push_back({{"name", fault.name}, {"text", fault.text}});
  if (!file.found.usable) {
    json["reason"] = file.found.reason;
    return json;
  }
  json.update({{"container", info.container},
               {"codec", info.codec},
               {"pixel_format", info.pixel_format},
               {"width", info.size.width},
               {"height", info.size.height},
               {"frames", info.frame_count},
               {"header_frames", info.header_frames},
               {"decoded", file.found.decoded},
               {"fps", info.fps},
               {"duration_s", info.duration_s},
               {"rotation", info.rotation_degrees},
               {"sample_aspect", {info.sample_aspect_width, info.sample_aspect_height}},
               {"interlaced", info.interlaced},
               {"video_streams", info.video_streams}});
  return json;
}

Json json_of(const data::CheckReport& report) {
  Json json = {{"files", Json::array()}};
  for (const data::CheckedFile& file : report.files) json["files"].push_back(json_of(file));
  json["items"] = Json::array();
  for (const data::BadItem& item : report.items)
    json["items"].push_back(
        {{"split", item.split}, {"index", item.index}, {"key", item.key}, {"reason", item.reason}});
  Json& summary = json["summary"];
  summary = {{"files", report.files.size()},
             {"usable", report.usable()},
             {"unusable", report.files.size() - report.usable()},
             {"with_faults", report.with_faults()},
             {"reasons", report.reasons()},
             {"faults", report.faults()}};
  for (const data::SplitCount& split : report.splits)
    summary["splits"][split.name] = {{"items", split.items}, {"unusable", split.unusable}};
  return json;
}

std::vector<std::string> row_of(const data::CheckedFile& file) {
  const media::VideoInfo& info = file.found.info;
  if (!file.found.usable) return {"unusable", file.name, "", "", "", "", "", file.found.reason};
  std::string faults;
  for (const media::Fault& fault : file.found.faults)
    faults += fmt::format("{}{} ({})", faults.empty() ? "" : "; ", fault.name, fault.text);
  return {faults.empty() ? "good" : "faulty",
          file.name,
          info.codec,
          fmt::format("{}x{}", info.size.width, info.size.height),
          std::to_string(info.frame_count),
          fmt::format("{:.2f}", info.fps),
          fmt::format("{:.2f}", info.duration_s),
          faults};
}

std::string counts_text(const std::map<std::string, std::size_t>& counts) {
  std::string text;
  for (const auto& [name, count] : counts)
    text += fmt::format("{}{} {}", text.empty() ? ": " : ", ", count, name);
  return text;
}

void print_report(const data::CheckReport& report, bool all) {
  std::vector<std::vector<std::string>> rows = {
      {"state", "file", "codec", "size", "frames", "fps", "seconds", "what"}};
  for (const data::CheckedFile& file : report.files)
    if (all || !file.found.usable || !file.found.faults.empty()) rows.push_back(row_of(file));
  if (rows.size() > 1) print(text_table(rows));
  for (const data::BadItem& item : report.items)
    if (!item.of_file)
      print(fmt::format("{} item {} ({}): {}", item.split, item.index, item.key, item.reason));
  for (const data::SplitCount& split : report.splits)
    print(fmt::format("{}: {}, {} unusable", split.name, counted(split.items, "item"), split.unusable));
  print(fmt::format("{}: {} usable, {} of them with faults{}", counted(report.files.size(), "file"),
                    report.usable(), report.with_faults(), counts_text(report.faults())));
  if (report.usable() < report.files.size())
    print(fmt::format("{} unusable{}", report.files.size() - report.usable(), counts_text(report.reasons())));
}

}  // namespace

int data_check(const DataCheckArguments& arguments) {
  check_overrides(arguments.target);
  FileProgress progress("checking");
  data::CheckOptions options;
  options.depth = arguments.quick ? media::Depth::index : media::Depth::everything;
  options.threads = arguments.threads;
  options.progress = std::ref(progress);
  data::CheckReport report;
  if (target_kind(arguments.target.path) == TargetKind::experiment) {
    const Session session = open_session({arguments.target.path, arguments.target.overrides});
    report = data::check_splits(open_splits(session), options);
  } else if (data::holds_shards(arguments.target.path)) {
    report = data::check_shards(data::ShardSet(arguments.target.path, {}), options);
  } else {
    report = data::check_files(files_of(arguments.target.path), options);
  }
  if (arguments.json)
    print(json_lines(json_of(report)));
  else
    print_report(report, arguments.all);
  return report.all_good() ? 0 : static_cast<int>(ErrorKind::data);
}

}  // namespace kinema::app
