#include "framework/eval/class_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "framework/eval/scored_labels.h"
#include "kinema/error.h"

namespace kinema::eval {
namespace {

double ratio(std::int64_t part, std::int64_t whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN()
                    : static_cast<double>(part) / static_cast<double>(whole);
}

// The best-scored class; -1 where a NaN makes that a matter of taste.
std::int64_t prediction(std::span<const float> scores) {
  if (std::any_of(scores.begin(), scores.end(), [](float s) { return std::isnan(s); })) return -1;
  return std::max_element(scores.begin(), scores.end()) - scores.begin();
}

std::string cell(double value) { return std::isnan(value) ? std::string() : fmt::format("{}", value); }

std::size_t place(std::int64_t number) { return static_cast<std::size_t>(number); }

}  // namespace

ClassTable::ClassTable(std::vector<std::string> classes) : classes_(std::move(classes)) { reset(); }

void ClassTable::reset() {
  labelled_.assign(classes_.size(), 0);
  marked_ = labelled_;
  confusion_.assign(classes_.size() * classes_.size(), 0);
  precision_.reset();
  has_values_ = false;
}

void ClassTable::add(const ScoredSamples& samples) {
  rank_labels(samples, "class table");  // checks them
  const std::size_t classes = classes_.size();
  if (place(samples.classes) != classes)
    throw Error(ErrorKind::data, "metric class table",
                fmt::format("bad scores: expected {} classes, got {}", classes, samples.classes));
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    if (samples.labels[i] < 0) continue;
    const std::int64_t predicted = prediction(samples.scores.subspan(i * classes, classes));
    ++labelled_[place(samples.labels[i])];
    if (predicted >= 0) ++confusion_[place(samples.labels[i]) * classes + place(predicted)];
  }
  if (samples.values.empty()) return;
  has_values_ = true;
  precision_.add(samples);
  for (std::size_t i = 0; i < samples.labels.size(); ++i)
    for (std::size_t c = 0; c < classes && samples.labels[i] < 0; ++c)
      marked_[c] += samples.values[i * classes + c] > 0.5F;
}

std::vector<double> ClassTable::state() const {
  std::vector<double> state(labelled_.begin(), labelled_.end());
  state.insert(state.end(), marked_.begin(), marked_.end());
  state.insert(state.end(), confusion_.begin(), confusion_.end());
  if (!has_values_) return state;
  const std::vector<double> rest = precision_.state();
  state.insert(state.end(), rest.begin(), rest.end());
  return state;
}

void ClassTable::merge(std::span<const double> state) {
  const std::size_t classes = classes_.size(), own = classes * (classes + 2);
  if (state.size() < own)
    throw Error(ErrorKind::run, "metric class table",
                fmt::format("bad state: expected at least {} numbers, got {}", own, state.size()));
  const auto add_to = [&state](std::vector<std::int64_t>& counts, std::size_t first) {
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += static_cast<std::int64_t>(state[first + i]);
  };
  add_to(labelled_, 0);
  add_to(marked_, classes);
  add_to(confusion_, 2 * classes);
  if (state.size() == own) return;
  has_values_ = true;
  precision_.merge(state.subspan(own));
}

bool ClassTable::has_confusion() const {
  return std::any_of(labelled_.begin(), labelled_.end(), [](std::int64_t n) { return n > 0; });
}

// All but the average precision.
ClassRow ClassTable::row(std::size_t c) const {
  const std::size_t classes = classes_.size();
  const std::int64_t* line = confusion_.data() + c * classes;
  std::int64_t predicted = 0;
  for (std::size_t t = 0; t < classes; ++t) predicted += confusion_[t * classes + c];
  ClassRow row;
  row.name = classes_[c];
  row.items = labelled_[c] + marked_[c];
  row.recall = ratio(line[c], labelled_[c]);
  row.precision = ratio(line[c], predicted);
  row.f1 = ratio(2 * line[c], labelled_[c] + predicted);
  for (std::size_t p = 0; p < classes; ++p) {
    if (p == c || line[p] <= row.confused) continue;
    row.confused = line[p];
    row.confused_with = static_cast<std::int64_t>(p);
  }
  return row;
}

std::vector<ClassRow> ClassTable::rows() const {
  const std::vector<double> precisions = has_values_ ? precision_.of_classes() : std::vector<double>();
  std::vector<ClassRow> rows;
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    rows.push_back(row(c));
    rows.back().average_precision = has_values_ ? precisions[c] : ratio(0, 0);
  }
  return rows;
}

std::vector<std::vector<std::string>> ClassTable::per_class_cells() const {
  const bool confusion = has_confusion();
  std::vector<std::vector<std::string>> cells = {{"class", "items"}};
  const auto head = [&](std::vector<std::string> names) {
    cells[0].insert(cells[0].end(), names.begin(), names.end());
  };
  if (confusion) head({"recall", "precision", "f1", "most_confused_with", "confused"});
  if (has_values_) head({"average_precision"});
  for (const ClassRow& row : rows()) {
    std::vector<std::string>& line = cells.emplace_back();
    line = {row.name, fmt::format("{}", row.items)};
    if (confusion) {
      const std::string other = row.confused_with < 0 ? std::string() : classes_[place(row.confused_with)];
      for (std::string text :
           {cell(row.recall), cell(row.precision), cell(row.f1), other, fmt::format("{}", row.confused)})
        line.push_back(std::move(text));
    }
    if (has_values_) line.push_back(cell(row.average_precision));
  }
  return cells;
}

std::vector<std::vector<std::string>> ClassTable::confusion_cells() const {
  std::vector<std::vector<std::string>> cells(1);
  cells[0] = classes_;
  cells[0].insert(cells[0].begin(), "true \\ predicted");
  for (std::size_t t = 0; t < classes_.size(); ++t) {
    std::vector<std::string>& line = cells.emplace_back();
    line.push_back(classes_[t]);
    for (std::size_t p = 0; p < classes_.size(); ++p)
      line.push_back(fmt::format("{}", confusion_[t * classes_.size() + p]));
  }
  return cells;
}

}  // namespace kinema::eval
