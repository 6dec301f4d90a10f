#pragma once

#include <cstdint>
#include <vector>

#include "kinema/metric.h"
#include "kinema/options.h"

namespace kinema::eval {

struct AccuracyOptions {
  std::vector<std::int64_t> k = {1, 5};
};
Options<AccuracyOptions> accuracy_options();

// "top<k>": the share of labelled samples whose class is among the k best-scored ones; of classes with equal
// scores the lower-numbered comes first. A k above the number of classes counts as that number. Samples
// without a label are left out; NaN when none had one.
class Accuracy final : public Metric {
 public:
  explicit Accuracy(const AccuracyOptions& options);
  void reset() override;
  void add(const ScoredSamples& samples) override;
  std::vector<double> state() const override;  // labelled samples, then the hits of each k
  void merge(std::span<const double> state) override;
  std::vector<NamedValue> result() const override;
  std::vector<std::string> names() const override;

 private:
  std::vector<std::int64_t> k_;
  std::vector<double> counts_;  // as state(): whole numbers, exact in a double
};

}  // namespace kinema::eval
