#include "framework/eval/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>

#include "framework/eval/scored_labels.h"
#include "kinema/error.h"

namespace kinema::eval {

Options<AccuracyOptions> accuracy_options() {
  return Options<AccuracyOptions>()
      .add("k", &AccuracyOptions::k,
           "how many of the best-scored classes may hold the right one; gives top<k>", not_empty(),
           each(at_least(1)))
      .check([](const AccuracyOptions& o) {
        std::vector<std::string> problems;
        std::set<std::int64_t> seen;
        for (const std::int64_t k : o.k)
          if (!seen.insert(k).second)
            problems.push_back(fmt::format("k repeats: expected different numbers, got {} twice", k));
        return problems;
      });
}

Accuracy::Accuracy(const AccuracyOptions& options) : k_(options.k) { reset(); }

void Accuracy::reset() { counts_.assign(k_.size() + 1, 0); }

void Accuracy::add(const ScoredSamples& samples) {
  for (const ScoredLabel& sample : rank_labels(samples, "accuracy")) {
    counts_[0] += 1;
    for (std::size_t i = 0; i < k_.size(); ++i) counts_[i + 1] += sample.ahead < k_[i];
  }
}

std::vector<double> Accuracy::state() const { return counts_; }

void Accuracy::merge(std::span<const double> state) {
  if (state.size() != counts_.size())
    throw Error(ErrorKind::run, "metric accuracy",
                fmt::format("bad state: expected {} numbers, got {}", counts_.size(), state.size()));
  for (std::size_t i = 0; i < state.size(); ++i) counts_[i] += state[i];
}

std::vector<NamedValue> Accuracy::result() const {
  std::vector<NamedValue> values;
  for (std::size_t i = 0; i < k_.size(); ++i)
    values.push_back({fmt::format("top{}", k_[i]), counts_[i + 1] / counts_[0]});
  return values;
}

std::vector<std::string> Accuracy::names() const {
  std::vector<std::string> names;
  for (const std::int64_t k : k_) names.push_back(fmt::format("top{}", k));
  return names;
}

}  // namespace kinema::eval
