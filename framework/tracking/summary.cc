#include "framework/tracking/summary.h"

#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "framework/tracking/run_file.h"
#include "kinema/error.h"

namespace kinema::tracking {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

std::string path_in(const std::string& folder) { return folder + "/summary.json"; }

}  // namespace

void write_summary(const std::string& folder, const Summary& summary) {
  Json best = nullptr;
  if (summary.best)
    best = {{"metric", summary.best->metric}, {"value", summary.best->value}, {"epoch", summary.best->epoch}};
  Json evaluation = nullptr;
  if (summary.evaluation)
    evaluation = {{"clips", summary.evaluation->clips}, {"evaluated", summary.evaluation->evaluated}};
  const Json json = {{"status", summary.status}, {"best", best},
                     {"evaluation", evaluation}, {"epochs", summary.epochs},
                     {"steps", summary.steps},   {"wall_s", summary.wall_s},
                     {"reason", summary.reason}, {"peak_rss_mb", summary.peak_rss_mb}};
  write_atomically(path_in(folder), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::optional<Summary> read_summary(const std::string& folder) {
  const std::string path = path_in(folder);
  if (!std::filesystem::exists(path)) return std::nullopt;
  try {
    const Json json = Json::parse(read_whole(path));
    Summary summary;
    summary.status = json.at("status").get<std::string>();
    if (const Json& best = json.at("best"); !best.is_null())
      summary.best = {best.at("metric").get<std::string>(), number(best.at("value")),
                      best.at("epoch").get<std::int64_t>()};
    if (const auto evaluation = json.find("evaluation"); evaluation != json.end() && !evaluation->is_null())
      summary.evaluation = {evaluation->at("clips").get<std::int64_t>(),
                            evaluation->at("evaluated").get<std::int64_t>()};
    summary.epochs = json.at("epochs").get<std::int64_t>();
    summary.steps = json.at("steps").get<std::int64_t>();
    summary.wall_s = number(json.at("wall_s"));
    summary.peak_rss_mb = number(json.at("peak_rss_mb"));
    summary.reason = json.at("reason").get<std::string>();
    return summary;
  } catch (const nlohmann::json::exception& e) {
    throw Error(ErrorKind::data, path, std::string("summary is malformed: ") + e.what());
  }
}

}  // namespace kinema::tracking
