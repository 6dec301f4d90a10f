#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kinema/dataset.h"
#include "kinema/export.h"

namespace kinema {

// Scores of some samples, all views averaged. Borrowed for the call.
struct ScoredSamples {
  std::span<const float> scores;         // [n, classes], row-major: probabilities, or raw scores
  std::span<const std::int64_t> labels;  // [n]; -1: no single label
  std::span<const float> values;         // [n, classes] soft or multi-hot targets; may be empty
  std::int64_t classes = 0;
};

struct NamedValue {
  std::string name;  // "top1": the host puts the split in front ("val/top1")
  double value;      // a fraction 0..1 unless the metric says otherwise
};

// What a metric's name says where nobody says it otherwise: "val/loss" and "val/top1_error" are better when
// lower, all others when higher.
inline bool lower_is_better(std::string_view metric) {
  return metric.ends_with("loss") || metric.ends_with("error");
}

// The boxes of one item, all views averaged. Borrowed for the call.
struct ScoredBoxes {
  std::size_t item = 0;                // index in the data set
  std::span<const LabelledBox> boxes;  // those that the model saw; may be empty
  std::span<const float> scores;       // [boxes, classes], row-major: probabilities
  std::span<const LabelledBox> truth;  // what is really there; may be empty
  std::int64_t classes = 0;
};

// Counts over an evaluation; every sample is added exactly once over all ranks.
class KINEMA_API Metric {
 public:
  static constexpr std::string_view kKind = "metric";
  virtual ~Metric();

  virtual void reset() = 0;                            // [every rank]
  virtual void add(const ScoredSamples& samples) = 0;  // [every rank]
  // Everything counted so far as numbers that another instance's merge() adds to its own. [every rank]
  virtual std::vector<double> state() const = 0;
  virtual void merge(std::span<const double> state) = 0;  // [every rank]
  virtual std::vector<NamedValue> result() const = 0;     // [every rank]
  // Names that result() will give, known before anything runs; no other metric of the run may have them, and
  // "loss" is the host's. [every rank]
  virtual std::vector<std::string> names() const = 0;
};

// Ability, asked for with dynamic_cast: only such metrics count in an evaluation of boxes, and add() of the
// metric itself is not called there.
struct KINEMA_API MeasuresBoxes {
  virtual ~MeasuresBoxes();
  virtual void add(const ScoredBoxes& boxes) = 0;  // [every rank]
};

}  // namespace kinema
