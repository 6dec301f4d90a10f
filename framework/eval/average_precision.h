#pragma once

#include <cstdint>
#include <vector>

#include "kinema/metric.h"

namespace kinema::eval {

// "mAP": the mean over the classes that occur of the average precision, sum of (R_n - R_n-1) P_n over the
// distinct scores from high to low, without interpolation (scikit-learn's average_precision_score;
// PySlowFast's Charades evaluation). A class is there where its target value is above one half, or where it
// is the sample's label; a sample without either is left out. A NaN counts as the lowest score. NaN when no
// class occurs.
class AveragePrecision final : public Metric {
 public:
  void reset() override;
  void add(const ScoredSamples& samples) override;
  std::vector<double> state() const override;  // classes, then for each sample its scores and its 0s and 1s
  void merge(std::span<const double> state) override;
  std::vector<NamedValue> result() const override;
  std::vector<std::string> names() const override;

  // Of each class, NaN for one that does not occur.
  std::vector<double> of_classes() const;

 private:
  void set_classes(std::int64_t classes);

  std::int64_t classes_ = 0;         // 0: no sample yet
  std::vector<float> scores_;        // [samples, classes]
  std::vector<std::uint8_t> there_;  // the same
};

}  // namespace kinema::eval
