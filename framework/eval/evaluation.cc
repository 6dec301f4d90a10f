#include "framework/eval/evaluation.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/softmax.h>
#include <fmt/format.h>

#include <algorithm>

#include "framework/eval/autocast.h"
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
  std::int64_t seen = 0;      // views, readable or not
  std::int64_t used = 0;      // readable
};

struct WeighedLoss {
  double sum = 0;  // loss x weight
  double weight = 0;
};

struct ClipScores {
  at::Tensor probabilities;         // float32 [N, classes] on the CPU
  std::vector<WeighedLoss> losses;  // [N]; empty without a loss
};

TargetBatch row_of(const TargetBatch& targets, std::int64_t row) {
  TargetBatch one;
  one.labels = targets.labels.narrow(0, row, 1);
  if (targets.values.defined()) one.values = targets.values.narrow(0, row, 1);
  one.weight = targets.weight.narrow(0, row, 1);
  return one;
}

WeighedLoss weighed(const LossValue& value) {
  const double weight = value.weight.defined() ? value.weight.item<double>() : 1;
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
  for (std::int64_t row = 0; loss && row < batch.clips; ++row) {
    if (batch.labels[row] < 0 && !device_batch.targets.values.defined()) continue;
    const Output one{output.logits.narrow(0, row, 1), {}};
    scores.losses.resize(batch.clips);
    scores.losses[row] = weighed((*loss)(one, row_of(device_batch.targets, row)));
  }
  const auto own = output.extra.find("probabilities");
  const at::Tensor probabilities =
      own != output.extra.end() ? own->second : at::softmax(output.logits.to(at::kFloat), 1);
  scores.probabilities = probabilities.to(at::kCPU, at::kFloat).contiguous();
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
  if (scores.losses.empty()) return;
  prediction.loss += scores.losses[row].sum;
  prediction.loss_weight += scores.losses[row].weight;
}

void finish(Pending& pending, const std::vector<std::shared_ptr<Metric>>& metrics) {
  Prediction& prediction = pending.prediction;
  for (float& value : prediction.scores) value /= static_cast<float>(pending.used);
  if (prediction.loss_weight > 0) prediction.loss /= prediction.loss_weight;
  prediction.loss_weight /= static_cast<double>(pending.used);
  const std::int64_t labels[] = {prediction.label};
  const ScoredSamples sample{prediction.scores, labels, pending.values,
                             static_cast<std::int64_t>(prediction.scores.size())};
  for (const auto& metric : metrics) metric->add(sample);
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
      add_view(pending, *batch, scores, row);
      if (pending.seen < options.views) continue;
      ++result.items;
      if (pending.used > 0) {
        finish(pending, metrics);
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
