#include "framework/eval/scored_labels.h"

#include <fmt/format.h>

#include <cmath>

#include "kinema/error.h"

namespace kinema::eval {
namespace {

std::int64_t classes_ahead(std::span<const float> scores, std::int64_t label) {
  const float own = scores[static_cast<std::size_t>(label)];
  std::int64_t ahead = 0;
  for (std::size_t c = 0; c < scores.size(); ++c) {
    if (std::isnan(scores[c])) return static_cast<std::int64_t>(scores.size()) - 1;
    if (scores[c] > own || (scores[c] == own && c < static_cast<std::size_t>(label))) ++ahead;
  }
  return ahead;
}

}  // namespace

std::vector<ScoredLabel> rank_labels(const ScoredSamples& samples, const std::string& metric) {
  const auto fail = [&](std::string what) {
    throw Error(ErrorKind::data, "metric " + metric, std::move(what));
  };
  if (samples.classes < 1)
    fail(fmt::format("bad scores: expected at least 1 class, got {}", samples.classes));
  const std::size_t classes = static_cast<std::size_t>(samples.classes);
  if (samples.scores.size() != samples.labels.size() * classes)
    fail(fmt::format("bad scores: expected {} of them for {} samples of {} classes, got {}",
                     samples.labels.size() * classes, samples.labels.size(), classes, samples.scores.size()));

  std::vector<ScoredLabel> ranked;
  ranked.reserve(samples.labels.size());
  for (std::size_t i = 0; i < samples.labels.size(); ++i) {
    const std::int64_t label = samples.labels[i];
    if (label == -1) continue;
    if (label < 0 || label >= samples.classes)
      fail(fmt::format("bad label: expected -1 to {}, got {}", samples.classes - 1, label));
    ranked.push_back({label, classes_ahead(samples.scores.subspan(i * classes, classes), label)});
  }
  return ranked;
}

}  // namespace kinema::eval
