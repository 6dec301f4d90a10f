#include "framework/tracking/metrics_row.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace kinema::tracking {
namespace {

using Json = nlohmann::ordered_json;

bool fixed(const std::string& key) {
  return key == kNonFinite ||
         std::find(std::begin(kFixedColumns), std::end(kFixedColumns), key) != std::end(kFixedColumns);
}

double non_finite(const std::string& text) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  return text == "inf" ? kInfinity : text == "-inf" ? -kInfinity : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{}", value);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string row_to_json(const MetricsRow& row) {
  Json json = {{"step", row.step}, {"epoch", row.epoch}, {"split", row.split}, {"time", row.time}};
  Json flags = Json::object();
  for (const auto& [name, value] : row.values) {
    json[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    if (!std::isfinite(value)) flags[name] = number_text(value);
  }
  if (!flags.empty()) json[kNonFinite] = flags;
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<MetricsRow> row_from_json(std::string_view line) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return std::nullopt;
  try {
    MetricsRow row;
    json.at("step").get_to(row.step);
    json.at("epoch").get_to(row.epoch);
    json.at("split").get_to(row.split);
    json.at("time").get_to(row.time);
    for (const auto& [key, value] : json.items()) {
      if (fixed(key)) continue;
      row.values.emplace_back(key, value.is_null()
                                       ? non_finite(json.at(kNonFinite).at(key).get<std::string>())
                                       : value.get<double>());
    }
    return row;
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

}  // namespace kinema::tracking
