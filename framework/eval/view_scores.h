#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <span>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/dataset.h"
#include "kinema/model.h"

// From the logits of clips to the scores of an item that was seen in several views.
namespace kinema::eval {

struct ViewRule {
  config::ScoreKind scores = config::ScoreKind::softmax;  // not automatic
  bool own = true;  // where the model gives extra["probabilities"], those instead
  config::ViewMerge merge = config::ViewMerge::mean;
};

// What [eval] comes to for a data set. `auto` scores are the model's own; where it has none, sigmoid for
// items with boxes or with vectors, all of 0s and 1s, else softmax; so it is for null, too.
ViewRule view_rule(const config::EvalOptions& options, const Dataset* dataset);

// Scores of each row, float32 on the CPU, contiguous.
at::Tensor view_scores(const Output& output, const ViewRule& rule);

// Adds the scores of one more view to `scores`, which is empty before the first.
void add_view(std::vector<float>& scores, std::span<const float> view, config::ViewMerge merge);
// The item's scores when `views` of them were added.
void finish_views(std::vector<float>& scores, std::int64_t views, config::ViewMerge merge);

}  // namespace kinema::eval
