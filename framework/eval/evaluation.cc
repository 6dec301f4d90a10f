#include "framework/eval/evaluation.h"

#include <ATen/core/grad_mode.h>
#include <fmt/format.h>

#include <algorithm>

#include "framework/eval/autocast.h"
#include "framework/eval/box_views.h"
#include "framework/eval/device_batch.h"
#include "kinema/error.h"

namespace kinema::eval {
namespace {

// Puts a module into eval mode for a scope; null: does nothing. Afterwards each of its parts is in the mode
// that it was in: frozen batch norms stay in eval mode.
class EvalMode {
 public:
  explicit EvalMode(Module* module) {
    if (module == nullptr) return;
    for (const Module::NamedModule& part : module->modules())
      parts_.emplace_back(part.module, part.module->training());
    module->train(false);
  }
  ~EvalMode() {
    for (const auto& [part, was_training] : parts_) part->train(was_training);
  }
  EvalMode(const EvalMode&) = delete;
  EvalMode& operator=(const EvalMode&) = delete;

 private:
  std::vector<std::pair<Module*, bool>> parts_;  // parents before children
};

// Views of an item may be spread over batches; sums wait here until all of them are in.
struct Pending {
  Prediction prediction;
  std::vector<float> values;  // target values; empty: none
  BoxViews boxes;
  std::int64_t seen = 0;  // views, readable or not
  std::int64_t used = 0;  // readable
};

struct WeighedLoss {
  double sum = 0;  // loss x weight
  double weight = 0;
};

struct ClipScores {
  std::vector<Rows> rows;           // of each clip
  at::Tensor of_rows;               // float32 [rows, classes] on the CPU
  std::vector<WeighedLoss> losses;  // of each clip; empty without a loss
};

WeighedLoss weighed(const LossValue& value, std::int64_t rows) {
  const double weight = value.weight.defined() ? value.weight.item<double>() : static_cast<double>(rows);
  return {value.total.item<double>() * weight, weight};
}

ClipScores score(Model& model, Loss* loss, const data::Batch& batch, const EvaluationOptions& options) {
  const DeviceBatch device_batch = to_device(batch, options.device);
  Output output;
  {
    const Autocast autocast(options.device.type(), options.precision);
    output = model.forward(device_batch.clips);
  }
  check_output(output, batch);
  ClipScores scores;
  scores.rows = rows_of_clips(batch);
  for (std::int64_t clip = 0; loss && clip < batch.clips; ++clip) {
    const Rows& rows = scores.rows[clip];
    if (rows.count == 0 || (!device_batch.targets.values.defined() && batch.labels[clip] < 0)) continue;
    DeviceBatch one = one_clip(device_batch, clip, rows);
    one.targets.clips = &one.clips;
    scores.losses.resize(batch.clips);
    const Output part{output.logits.narrow(0, rows.first, rows.count), {}};
    scores.losses[clip] = weighed((*loss)(part, one.targets), rows.count);
  }
  scores.of_rows = view_scores(output, options.rule);
  return scores;
}

void add_clip(Pending& pending, const data::Batch& batch, const ClipScores& scores, std::int64_t clip,
              config::ViewMerge merge) {
  const data::ClipInfo& info = batch.infos[clip];
  Prediction& prediction = pending.prediction;
  prediction.index = info.index;
  prediction.key = info.key;
  prediction.label = batch.labels[clip];
  prediction.has_target = prediction.label >= 0 || !batch.values.empty() || batch.detection;
  if (!batch.values.empty()) {
    const auto first = batch.values.begin() + clip * batch.classes;
    pending.values.assign(first, first + batch.classes);
  }
  ++pending.seen;
  if (!info.valid) return;
  ++pending.used;
  const std::int64_t classes = scores.of_rows.size(1);
  const Rows& rows = scores.rows[clip];
  const std::span values(scores.of_rows.const_data_ptr<float>() + rows.first * classes,
                         static_cast<std::size_t>(rows.count * classes));
  if (batch.detection)
    pending.boxes.add(info.target, std::span(batch.boxes).subspan(rows.first, rows.count), values, merge);
  else
    add_view(prediction.scores, values, merge);
  if (scores.losses.empty()) return;
  prediction.loss += scores.losses[clip].sum;
  prediction.loss_weight += scores.losses[clip].weight;
}

void count_boxes(const Pending& pending, std::int64_t classes,
                 const std::vector<std::shared_ptr<Metric>>& metrics) {
  const Prediction& prediction = pending.prediction;
  const ScoredBoxes boxes{prediction.index, prediction.boxes, prediction.scores, pending.boxes.truth(),
                          classes};
  for (const auto& metric : metrics)
    if (auto* measures = dynamic_cast<MeasuresBoxes*>(metric.get())) measures->add(boxes);
}

void count_clips(const Pending& pending, const std::vector<std::shared_ptr<Metric>>& metrics) {
  const Prediction& prediction = pending.prediction;
  const std::int64_t labels[] = {prediction.label};
  const ScoredSamples sample{prediction.scores, labels, pending.values, std::ssize(prediction.scores)};
  for (const auto& metric : metrics) metric->add(sample);
}

void finish(Pending& pending, const data::Batch& batch, const std::vector<std::shared_ptr<Metric>>& metrics,
            config::ViewMerge merge) {
  Prediction& prediction = pending.prediction;
  if (batch.detection)
    pending.boxes.finish(prediction.boxes, prediction.scores, merge);
  else
    finish_views(prediction.scores, pending.used, merge);
  if (prediction.loss_weight > 0) prediction.loss /= prediction.loss_weight;
  prediction.loss_weight /= static_cast<double>(pending.used);
  if (batch.detection)
    count_boxes(pending, batch.classes, metrics);
  else
    count_clips(pending, metrics);
}

void summarise(EvaluationResult& result, const Loss* loss,
               const std::vector<std::shared_ptr<Metric>>& metrics) {
  std::sort(result.predictions.begin(), result.predictions.end(),
            [](const Prediction& a, const Prediction& b) { return a.index < b.index; });
  WeighedLoss all;
  for (const Prediction& prediction : result.predictions) {
    all.sum += prediction.loss * prediction.loss_weight;
    all.weight += prediction.loss_weight;
  }
  if (loss && all.weight > 0) result.metrics["loss"] = all.sum / all.weight;
  for (const auto& metric : metrics)
    for (const NamedValue& value : metric->result())
      if (!result.metrics.emplace(value.name, value.value).second)
        throw Error(ErrorKind::plugin, "metric",
                    fmt::format("value name given twice: expected each once, got \"{}\" again", value.name));
}

}  // namespace

EvaluationResult evaluate(Model& model, Loss* loss, const NextBatch& next,
                          const std::vector<std::shared_ptr<Metric>>& metrics,
                          const EvaluationOptions& options) {
  const at::NoGradGuard no_grad;
  const EvalMode model_mode(&model), loss_mode(loss);
  for (const auto& metric : metrics) metric->reset();
  EvaluationResult result;
  std::map<std::size_t, Pending> waiting;
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
      add_clip(pending, *batch, scores, row, options.rule.merge);
      if (pending.seen < options.views) continue;
      ++result.items;
      if (pending.used > 0) {
        finish(pending, *batch, metrics, options.rule.merge);
        result.predictions.push_back(std::move(pending.prediction));
      }
      waiting.erase(info.index);
    }
    result.clips += batch->clips;
    if (options.done) options.done(result.clips);
  }
  summarise(result, loss, metrics);
  return result;
}

}  // namespace kinema::eval
