#include "framework/eval/evaluation.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>

#include <algorithm>

#include "framework/eval/autocast.h"
#include "framework/eval/device_batch.h"

namespace kinema::eval {
namespace {

// Puts the model into eval mode for a scope.
class EvalMode {
 public:
  explicit EvalMode(Model& model) : model_(model), was_training_(model.training()) { model_.train(false); }
  ~EvalMode() { model_.train(was_training_); }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  Model& model_;
  bool was_training_;
};

// Views of an item may be spread over batches; sums wait here until all of them are in.
struct Pending {
  Prediction prediction;
  std::vector<float> values;  // target values; empty: none
  std::int64_t seen = 0;      // views, readable or not
  std::int64_t used = 0;      // readable
};

struct ClipScores {
  at::Tensor probabilities;    // float32 [N, classes] on the CPU
  std::vector<double> losses;  // [N]; empty without a loss
};

TargetBatch row_of(const TargetBatch& targets, std::int64_t row) {
  TargetBatch one;
  one.labels = targets.labels.narrow(0, row, 1);
  if (targets.values.defined()) one.values = targets.values.narrow(0, row, 1);
  one.weight = targets.weight.narrow(0, row, 1);
  return one;
}

ClipScores score(Model& model, Loss* loss, const data::Batch& batch, const EvaluationOptions& options) {
  const DeviceBatch device_batch = to_device(batch, options.device);
  Output output;
  {
    const Autocast autocast(options.device.type(), options.precision);
    output = model.forward(device_batch.clips);
  }
  ClipScores scores;
  for (std::int64_t row = 0; loss && row < batch.clips; ++row) {
    if (batch.labels[row] < 0 && !device_batch.targets.values.defined()) continue;
    const Output one{output.logits.narrow(0, row, 1), {}};
    scores.losses.resize(batch.clips);
    scores.losses[row] = (*loss)(one, row_of(device_batch.targets, row)).total.item<double>();
  }
  scores.probabilities = at::softmax(output.logits.to(at::kFloat), 1).to(at::kCPU).contiguous();
  return scores;
}

void add_view(Pending& pending, const data::Batch& batch, const ClipScores& scores, std::int64_t row) {
  const data::ClipInfo& info = batch.infos[row];
  Prediction& prediction = pending.prediction;
  prediction.index = info.index;
  prediction.key = info.key;
  prediction.label = batch.labels[row];
  prediction.has_target = prediction.label >= 0 || !batch.values.empty();
  if (!batch.values.empty()) {
    const auto first = batch.values.begin() + row * batch.classes;
    pending.values.assign(first, first + batch.classes);
  }
  ++pending.seen;
  if (!info.valid) return;
  ++pending.used;
  const std::int64_t classes = scores.probabilities.size(1);
  prediction.scores.resize(classes);
  const float* values = scores.probabilities.const_data_ptr<float>() + row * classes;
  for (std::int64_t c = 0; c < classes; ++c) prediction.scores[c] += values[c];
  if (!scores.losses.empty()) prediction.loss += scores.losses[row];
}

void finish(Pending& pending, const std::vector<std::shared_ptr<Metric>>& metrics) {
  Prediction& prediction = pending.prediction;
  for (float& value : prediction.scores) value /= static_cast<float>(pending.used);
  prediction.loss /= static_cast<double>(pending.used);
  const std::int64_t labels[] = {prediction.label};
  const ScoredSamples sample{prediction.scores, labels, pending.values,
                             static_cast<std::int64_t>(prediction.scores.size())};
  for (const auto& metric : metrics) metric->add(sample);
}

void summarise(EvaluationResult& result, const Loss* loss,
               const std::vector<std::shared_ptr<Metric>>& metrics) {
  std::sort(result.predictions.begin(), result.predictions.end(),
            [](const Prediction& a, const Prediction& b) { return a.index < b.index; });
  double loss_sum = 0;
  std::int64_t with_target = 0;
  for (const Prediction& prediction : result.predictions) {
    if (!prediction.has_target) continue;
    loss_sum += prediction.loss;
    ++with_target;
  }
  if (loss && with_target > 0) result.metrics["loss"] = loss_sum / static_cast<double>(with_target);
  for (const auto& metric : metrics)
    for (const NamedValue& value : metric->result()) result.metrics[value.name] = value.value;
}

}  // namespace

EvaluationResult evaluate(Model& model, Loss* loss, const NextBatch& next,
                          const std::vector<std::shared_ptr<Metric>>& metrics,
                          const EvaluationOptions& options) {
  const at::NoGradGuard no_grad;
  const EvalMode mode(model);
  for (const auto& metric : metrics) metric->reset();
  EvaluationResult result;
  std::map<std::size_t, Pending> waiting;
  std::int64_t clips = 0;
  while (const std::unique_ptr<data::Batch> batch = next()) {
    if (options.stop && options.stop()) {
      result.stopped = true;
      return result;
    }
    const ClipScores scores = score(model, loss, *batch, options);
    for (std::int64_t row = 0; row < batch->clips; ++row) {
      const data::ClipInfo& info = batch->infos[row];
      if (!info.valid) result.unreadable.push_back(info);
      Pending& pending = waiting[info.index];
      add_view(pending, *batch, scores, row);
      if (pending.seen < options.views) continue;
      ++result.items;
      if (pending.used > 0) {
        finish(pending, metrics);
        result.predictions.push_back(std::move(pending.prediction));
      }
      waiting.erase(info.index);
    }
    clips += batch->clips;
    if (options.done) options.done(clips);
  }
  summarise(result, loss, metrics);
  return result;
}

}  // namespace kinema::eval
