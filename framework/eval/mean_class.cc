#include "framework/eval/mean_class.h"

#include <fmt/format.h>

#include <limits>

#include "framework/eval/scored_labels.h"
#include "kinema/error.h"

namespace kinema::eval {

MeanClass::MeanClass(std::int64_t classes) : known_classes_(classes) { reset(); }

void MeanClass::reset() { counts_.assign(static_cast<std::size_t>(2 * known_classes_), 0); }

void MeanClass::add(const ScoredSamples& samples) {
  const std::vector<ScoredLabel> ranked = rank_labels(samples, "mean_class");
  const std::size_t classes = static_cast<std::size_t>(samples.classes);
  if (counts_.empty()) counts_.assign(2 * classes, 0);
  if (counts_.size() != 2 * classes)
    throw Error(ErrorKind::data, "metric mean_class",
                fmt::format("bad scores: expected {} classes, got {}", counts_.size() / 2, classes));
  for (const ScoredLabel& sample : ranked) {
    const std::size_t label = static_cast<std::size_t>(sample.label);
    counts_[label] += 1;
    counts_[classes + label] += sample.ahead == 0;
  }
}

std::vector<double> MeanClass::state() const { return counts_; }

void MeanClass::merge(std::span<const double> state) {
  if (state.empty()) return;
  if (counts_.empty()) counts_.assign(state.size(), 0);
  if (state.size() != counts_.size())
    throw Error(ErrorKind::run, "metric mean_class",
                fmt::format("bad state: expected {} numbers, got {}", counts_.size(), state.size()));
  for (std::size_t i = 0; i < state.size(); ++i) counts_[i] += state[i];
}

std::vector<NamedValue> MeanClass::result() const {
  const std::size_t classes = counts_.size() / 2;
  double sum = 0;
  std::int64_t present = 0;
  for (std::size_t c = 0; c < classes; ++c) {
    if (counts_[c] == 0) continue;
    sum += counts_[classes + c] / counts_[c];
    ++present;
  }
  const double nan = std::numeric_limits<double>::quiet_NaN();
  return {{"mean_class", present == 0 ? nan : sum / static_cast<double>(present)}};
}

std::vector<std::string> MeanClass::names() const { return {"mean_class"}; }

}  // namespace kinema::eval
