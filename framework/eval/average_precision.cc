#include "framework/eval/average_precision.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "kinema/error.h"

namespace kinema::eval {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Scored {
  float score;
  bool there;
};

double average_precision(std::vector<Scored> samples) {
  std::sort(samples.begin(), samples.end(),
            [](const Scored& a, const Scored& b) { return a.score > b.score; });
  const auto positives =
      std::count_if(samples.begin(), samples.end(), [](const Scored& s) { return s.there; });
  if (positives == 0) return kNan;
  double sum = 0, hits = 0, hits_before = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    hits += samples[i].there;
    if (i + 1 < samples.size() && samples[i + 1].score == samples[i].score) continue;  // one threshold
    sum += (hits - hits_before) * hits / static_cast<double>(i + 1);
    hits_before = hits;
  }
  return sum / static_cast<double>(positives);
}

[[noreturn]] void fail(ErrorKind kind, std::string what) { throw Error(kind, "metric mAP", std::move(what)); }

}  // namespace

void AveragePrecision::reset() { *this = {}; }

void AveragePrecision::set_classes(std::int64_t classes) {
  if (classes_ == 0) classes_ = classes;
  if (classes < 1 || classes != classes_)
    fail(ErrorKind::data, fmt::format("bad scores: expected {} classes, got {}",
                                      std::max<std::int64_t>(classes_, 1), classes));
}

void AveragePrecision::add(const ScoredSamples& samples) {
  set_classes(samples.classes);
  const std::size_t classes = static_cast<std::size_t>(classes_), count = samples.labels.size();
  if (samples.scores.size() != count * classes ||
      (!samples.values.empty() && samples.values.size() != count * classes))
    fail(ErrorKind::data, fmt::format("bad scores: expected {} for {} samples, got {} and {} target values",
                                      count * classes, count, samples.scores.size(), samples.values.size()));
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t label = samples.labels[i];
    if (label >= samples.classes)
      fail(ErrorKind::data, fmt::format("bad label: expected -1 to {}, got {}", samples.classes - 1, label));
    if (samples.values.empty() && label < 0) continue;
    for (std::size_t c = 0; c < classes; ++c) {
      const float score = samples.scores[i * classes + c];
      scores_.push_back(std::isnan(score) ? -std::numeric_limits<float>::infinity() : score);
      there_.push_back(samples.values.empty() ? static_cast<std::int64_t>(c) == label
                                              : samples.values[i * classes + c] > 0.5F);
    }
  }
}

std::vector<double> AveragePrecision::state() const {
  std::vector<double> state = {static_cast<double>(classes_)};
  state.insert(state.end(), scores_.begin(), scores_.end());
  state.insert(state.end(), there_.begin(), there_.end());
  return state;
}

void AveragePrecision::merge(std::span<const double> state) {
  if (state.empty() || state.size() % 2 == 0)
    fail(ErrorKind::run, fmt::format("bad state: expected an odd count of numbers, got {}", state.size()));
  const std::size_t count = state.size() / 2;
  if (count == 0) return;  // saw nothing
  set_classes(static_cast<std::int64_t>(state[0]));
  if (count % static_cast<std::size_t>(classes_) != 0)
    fail(ErrorKind::run, fmt::format("bad state: expected scores of {} classes, got {}", classes_, count));
  for (std::size_t i = 0; i < count; ++i) scores_.push_back(static_cast<float>(state[1 + i]));
  for (std::size_t i = 0; i < count; ++i) there_.push_back(state[1 + count + i] != 0);
}

std::vector<double> AveragePrecision::of_classes() const {
  std::vector<double> all;
  for (std::size_t c = 0; c < static_cast<std::size_t>(classes_); ++c) {
    std::vector<Scored> samples;
    for (std::size_t i = c; i < scores_.size(); i += static_cast<std::size_t>(classes_))
      samples.push_back({scores_[i], there_[i] != 0});
    all.push_back(average_precision(std::move(samples)));
  }
  return all;
}

std::vector<NamedValue> AveragePrecision::result() const {
  double sum = 0, present = 0;
  for (const double ap : of_classes()) {
    if (std::isnan(ap)) continue;
    sum += ap;
    present += 1;
  }
  return {{"mAP", present == 0 ? kNan : sum / present}};
}

std::vector<std::string> AveragePrecision::names() const { return {"mAP"}; }

}  // namespace kinema::eval
