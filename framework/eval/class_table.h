#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/eval/average_precision.h"
#include "kinema/metric.h"

namespace kinema::eval {

// One class of an evaluation. A ratio of nothing is NaN.
struct ClassRow {
  std::string name;
  std::int64_t items = 0;           // of this class
  double recall = 0;                // share of its items that were predicted as it (top1 within the class)
  double precision = 0;             // share of the items predicted as it that are of it
  double f1 = 0;                    // harmonic mean of the two
  double average_precision = 0;     // of items with several classes, see AveragePrecision
  std::int64_t confused_with = -1;  // the other class that its items were most often taken for; -1: none
  std::int64_t confused = 0;        // how often
};

// What each class looked like: counts of (true, predicted) over the items with a label, and the average
// precision over those with target values. The prediction is the best-scored class, the lower-numbered of
// equal ones; an item with a NaN among its scores has none. Gives no value of its own.
class ClassTable final : public Metric {
 public:
  explicit ClassTable(std::vector<std::string> classes);
  void reset() override;
  void add(const ScoredSamples& samples) override;
  // The items of each class by label, those by values alone, the confusion matrix, then what AveragePrecision
  // has.
  std::vector<double> state() const override;
  void merge(std::span<const double> state) override;
  std::vector<NamedValue> result() const override { return {}; }
  std::vector<std::string> names() const override { return {}; }

  const std::vector<std::string>& classes() const { return classes_; }
  bool has_confusion() const;                                 // an item had a label
  bool has_average_precision() const { return has_values_; }  // an item had values
  bool counted() const { return has_confusion() || has_values_; }
  std::vector<ClassRow> rows() const;
  // [true, predicted], row-major.
  const std::vector<std::int64_t>& confusion() const { return confusion_; }

  // As tables of text: the names of the columns, then a row a class; what is not defined is empty.
  std::vector<std::vector<std::string>> per_class_cells() const;
  std::vector<std::vector<std::string>> confusion_cells() const;

 private:
  ClassRow row(std::size_t c) const;

  std::vector<std::string> classes_;
  std::vector<std::int64_t> labelled_, marked_;  // items of each class by label; by values alone
  std::vector<std::int64_t> confusion_;
  AveragePrecision precision_;
  bool has_values_ = false;
};

}  // namespace kinema::eval
