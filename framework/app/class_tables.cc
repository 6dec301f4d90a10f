#include "framework/app/class_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "framework/app/console.h"
#include "framework/app/json_text.h"
#include "framework/tracking/csv.h"
#include "framework/tracking/run_file.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isnan(value) ? Json(nullptr) : Json(value); }

std::string cell(double value) { return std::isnan(value) ? std::string("-") : fmt::format("{:.4f}", value); }

std::string other_class(const eval::ClassTable& table, const eval::ClassRow& row) {
  if (row.confused_with < 0) return "-";
  return fmt::format("{} ({})", table.classes()[static_cast<std::size_t>(row.confused_with)], row.confused);
}

}  // namespace

Json per_class_json(const eval::ClassTable& table) {
  Json list = Json::array();
  for (const eval::ClassRow& row : table.rows()) {
    Json object = {{"class", row.name}, {"items", row.items}};
    if (table.has_confusion()) {
      object["recall"] = number(row.recall);
      object["precision"] = number(row.precision);
      object["f1"] = number(row.f1);
      object["most_confused_with"] = row.confused_with < 0
                                         ? Json(nullptr)
                                         : Json(table.classes()[static_cast<std::size_t>(row.confused_with)]);
      object["confused"] = row.confused;
    }
    if (table.has_average_precision()) object["average_precision"] = number(row.average_precision);
    list.push_back(std::move(object));
  }
  return list;
}

Json confusion_json(const eval::ClassTable& table) {
  Json matrix = Json::array();
  const auto& counts = table.confusion();
  const auto classes = std::ssize(table.classes());
  for (auto line = counts.begin(); line != counts.end(); line += classes)
    matrix.push_back(std::vector<std::int64_t>(line, line + classes));
  return {{"classes", table.classes()}, {"matrix", std::move(matrix)}};
}

void print_per_class(const eval::ClassTable& table) {
  if (!table.counted())
    throw Error(ErrorKind::data, "--per-class",
                "no table of classes: expected items with a class or a vector of classes, got none");
  std::size_t width = 5;
  for (const std::string& name : table.classes()) width = std::max(width, name.size());
  std::string head = fmt::format("{:<{}}  {:>6}", "class", width, "items");
  if (table.has_confusion()) head += fmt::format("  {:>7} {:>9} {:>7}", "recall", "precision", "f1");
  if (table.has_average_precision()) head += fmt::format("  {:>7}", "AP");
  print(head + (table.has_confusion() ? "  most confused with" : ""));
  for (const eval::ClassRow& row : table.rows()) {
    std::string line = fmt::format("{:<{}}  {:>6}", row.name, width, row.items);
    if (table.has_confusion())
      line += fmt::format("  {:>7} {:>9} {:>7}", cell(row.recall), cell(row.precision), cell(row.f1));
    if (table.has_average_precision()) line += fmt::format("  {:>7}", cell(row.average_precision));
    print(line + (table.has_confusion() ? "  " + other_class(table, row) : ""));
  }
}

void check_confusion_file(const std::string& path) {
  if (path.empty() || path.ends_with(".csv") || path.ends_with(".json")) return;
  throw Error(ErrorKind::usage, "--confusion",
              fmt::format("unknown format: expected a file that ends in .csv or .json, got \"{}\"", path));
}

void write_confusion(const std::string& path, const eval::ClassTable& table) {
  if (!table.has_confusion())
    throw Error(ErrorKind::data, "--confusion",
                "no confusion matrix: expected items with one class each, got none",
                "--per-class shows the average precision of classes where items have several");
  tracking::write_atomically(path, path.ends_with(".csv") ? tracking::csv_text(table.confusion_cells())
                                                          : json_line(confusion_json(table)) + "\n");
  note("confusion matrix in " + path);
}

}  // namespace kinema::app
