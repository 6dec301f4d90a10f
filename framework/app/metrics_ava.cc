#include <fmt/format.h>

#include <cmath>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/detection/frame_map.h"
#include "framework/detection/label_map.h"

namespace kinema::app {
namespace {

using Labels = std::map<std::int64_t, std::string>;

std::string json_text(const detection::FrameMap& result, const Labels& labels) {
  const auto number = [](double value) {
    return std::isnan(value) ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(value);
  };
  nlohmann::ordered_json json = {{"mAP@0.5", number(result.mean)},
                                 {"frames", result.frames},
                                 {"excluded_frames", result.excluded_frames}};
  for (const auto& [id, name] : labels) json["per_class"][name] = number(result.average_precision.at(id));
  return json_lines(json);
}

std::string table_text(const detection::FrameMap& result, const Labels& labels) {
  std::string text;
  for (const auto& [id, name] : labels) {
    const double precision = result.average_precision.at(id);
    text += std::isnan(precision) ? fmt::format("{:<48} -\n", name)
                                  : fmt::format("{:<48} {:.4f}\n", name, precision);
  }
  return text + fmt::format("{:<48} {:.4f}   ({} frames)", "mAP@0.5", result.mean, result.frames);
}

}  // namespace

int metrics_ava(const MetricsAvaArguments& arguments) {
  const Labels labels = detection::read_label_map(arguments.labels);
  std::set<std::int64_t> known;
  for (const auto& [id, name] : labels) known.insert(id);
  detection::FrameMapOptions options;
  options.rule = arguments.rule == "slowfast" ? detection::MapRule::slowfast : detection::MapRule::official;
  if (!arguments.exclusions.empty()) options.excluded = detection::read_frames(arguments.exclusions);
  const detection::FrameMap result = detection::frame_map(
      detection::read_boxes(arguments.ground_truth, known, detection::BoxScore::none),
      detection::read_boxes(arguments.detections, known, detection::BoxScore::last_field),
      {known.begin(), known.end()}, options);
  print(arguments.json ? json_text(result, labels) : table_text(result, labels));
  return 0;
}

}  // namespace kinema::app
