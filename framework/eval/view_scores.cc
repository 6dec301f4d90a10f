#include "framework/eval/view_scores.h"

#include <ATen/ops/sigmoid.h>
#include <ATen/ops/softmax.h>

#include <algorithm>

#include "framework/data/check.h"

namespace kinema::eval {
namespace {

using config::ScoreKind;

// Several classes an item: vectors of 0s and 1s, or boxes.
bool has_multi_hot_targets(const Dataset& dataset) {
  if (data::detects(dataset)) return true;
  bool vectors = false;
  for (std::size_t i = 0; i < dataset.size(); ++i) {
    const std::vector<float> values = dataset.item(i).target.values;
    vectors = vectors || !values.empty();
    if (std::any_of(values.begin(), values.end(), [](float v) { return v != 0 && v != 1; })) return false;
  }
  return vectors;
}

at::Tensor scores_of(const at::Tensor& logits, ScoreKind kind) {
  if (kind == ScoreKind::sigmoid) return at::sigmoid(logits);
  return kind == ScoreKind::logits ? logits : at::softmax(logits, 1);
}

}  // namespace

ViewRule view_rule(const config::EvalOptions& options, const Dataset* dataset) {
  ViewRule rule{options.scores, options.scores == ScoreKind::automatic, options.views};
  if (rule.own)
    rule.scores = dataset && has_multi_hot_targets(*dataset) ? ScoreKind::sigmoid : ScoreKind::softmax;
  return rule;
}

at::Tensor view_scores(const Output& output, const ViewRule& rule) {
  const auto own = output.extra.find("probabilities");
  const bool given = rule.own && own != output.extra.end();
  const at::Tensor scores = given ? own->second : scores_of(output.logits.to(at::kFloat), rule.scores);
  return scores.to(at::kCPU, at::kFloat).contiguous();
}

void add_view(std::vector<float>& scores, std::span<const float> view, config::ViewMerge merge) {
  if (scores.empty()) return scores.assign(view.begin(), view.end());
  for (std::size_t c = 0; c < scores.size(); ++c)
    scores[c] = merge == config::ViewMerge::max ? std::max(scores[c], view[c]) : scores[c] + view[c];
}

void finish_views(std::vector<float>& scores, std::int64_t views, config::ViewMerge merge) {
  if (merge != config::ViewMerge::mean) return;
  for (float& score : scores) score /= static_cast<float>(views);
}

}  // namespace kinema::eval
