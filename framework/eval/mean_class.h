#pragma once

#include <cstdint>
#include <vector>

#include "kinema/metric.h"

namespace kinema::eval {

// "mean_class": the share of right predictions within each class, averaged over the classes that occur
// (balanced accuracy). The prediction is the best-scored class, the lower-numbered of equal ones. NaN when no
// sample had a label.
class MeanClass final : public Metric {
 public:
  // `classes` 0: not known before the first samples; the state is empty until then.
  explicit MeanClass(std::int64_t classes = 0);
  void reset() override;
  void add(const ScoredSamples& samples) override;
  std::vector<double> state() const override;  // each class's samples, then each class's hits
  // An empty state adds nothing.
  void merge(std::span<const double> state) override;
  std::vector<NamedValue> result() const override;
  std::vector<std::string> names() const override;

 private:
  std::int64_t known_classes_;
  std::vector<double> counts_;  // as state(): whole numbers, exact in a double
};

}  // namespace kinema::eval
