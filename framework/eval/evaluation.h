#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "framework/data/batch.h"
#include "framework/eval/view_scores.h"
#include "kinema/loss.h"
#include "kinema/metric.h"
#include "kinema/model.h"

namespace kinema::eval {

struct EvaluationOptions {
  at::Device device = at::kCPU;
  config::Precision precision = config::Precision::fp32;
  std::int64_t views = 1;                  // clips per item
  ViewRule rule;                           // how they become the item's scores
  std::function<bool()> stop;              // asked between batches; true: give up
  std::function<void(std::int64_t)> done;  // clips so far, for a progress display
};

// One item's averaged result.
struct Prediction {
  std::size_t index = 0;
  std::string key;
  std::int64_t label = -1;
  std::vector<float> scores;  // of the views that could be read, put together by the rule
  // Of a detection: scores are then [boxes, classes]. Those that some view showed.
  std::vector<LabelledBox> boxes;
  bool has_target = false;  // a label or target values
  double loss = 0;          // with a target: mean over its views
  double loss_weight = 0;   // of this item in the mean over all, as the loss said it; 0: not counted
};

struct EvaluationResult {
  std::map<std::string, double> metrics;   // "loss" (of the items with a target), then every metric's names
  std::int64_t clips = 0;                  // seen
  std::vector<Prediction> predictions;     // in order of the items
  std::int64_t items = 0;                  // seen
  std::vector<data::ClipInfo> unreadable;  // clips that could not be read, never replaced
  bool stopped = false;                    // then nothing else is meaningful
};

// Gives the next batch, or null at the end.
using NextBatch = std::function<std::unique_ptr<data::Batch>()>;

// Runs the model in eval mode over all batches: scores of each item's views put together by options.rule
// (automatic ones of boxes are sigmoid), metrics counted once an item. `loss` may be null; then "loss" is
// left out. The modes of model and loss are put back. Items without any readable view count for no metric;
// `unreadable` names their clips. Throws Error(plugin) when two metrics give a value of the same name.
EvaluationResult evaluate(Model& model, Loss* loss, const NextBatch& next,
                          const std::vector<std::shared_ptr<Metric>>& metrics,
                          const EvaluationOptions& options);

}  // namespace kinema::eval
