#pragma once

#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/flatten.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "framework/eval/accuracy.h"
#include "framework/eval/assembly.h"
#include "framework/train/param_groups.h"
#include "framework/train/sgd.h"
#include "framework/train/trainer.h"
#include "kinema/layers.h"
#include "kinema/random.h"

// A whole training run in memory: a network of a few hundred weights, clips out of numbers, no file and no
// plugin.
namespace kinema::tests {

inline constexpr std::int64_t kTinyClasses = 3;

// Convolution, batch norm, dropout, linear: everything whose state or randomness a resumed run could get
// wrong.
struct TinyNet : Model {
  Child<Conv3d> conv =
      child<Conv3d>("conv", Conv3dOptions{.in = 3, .out = 4, .kernel = 3, .padding = 1, .bias = false});
  Child<BatchNorm> norm = child<BatchNorm>("norm", 4);
  Child<Relu> relu = child<Relu>("relu");
  Child<AdaptiveAvgPool3d> pool = child<AdaptiveAvgPool3d>("pool");
  Child<Dropout> dropout = child<Dropout>("dropout", 0.3);
  Child<Linear> fc = child<Linear>("fc", 4, kTinyClasses);
  Output forward(const ClipBatch& batch) override {
    return {fc(dropout(at::flatten(pool(relu(norm(conv(batch.rgb())))), 1))), {}};
  }
};

struct PlainCrossEntropy : Loss {
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    return {at::cross_entropy_loss(output.logits, target.labels), {}};
  }
};

struct ConstantRate : Scheduler {
  Factors factors(const Progress& progress) const override {
    return {1.0 / (1.0 + static_cast<double>(progress.step)), 1.0};
  }
};

// Batch `number` of an epoch: clips whose brightness is their class, plus noise; a function of its arguments
// alone.
inline std::unique_ptr<data::Batch> tiny_batch(std::int64_t epoch, std::int64_t number, std::int64_t clips) {
  auto batch = std::make_unique<data::Batch>();
  batch->epoch = epoch;
  batch->number = number;
  batch->clips = clips;
  batch->frames = 2;
  batch->size = {6, 5};
  batch->classes = kTinyClasses;
  batch->pixels = data::Pixels(new std::uint8_t[batch->bytes()], std::default_delete<std::uint8_t[]>());
  for (std::int64_t clip = 0; clip < clips; ++clip) {
    Random random(5, epoch, number * 100 + clip, "tiny");
    const auto label = static_cast<std::int64_t>(random.below(kTinyClasses));
    const std::int64_t bytes = batch->bytes() / clips;
    for (std::int64_t i = 0; i < bytes; ++i)
      batch->pixels.get()[clip * bytes + i] = static_cast<std::uint8_t>(label * 60 + random.below(100));
    batch->labels.push_back(label);
    batch->weights.push_back(1);
    data::ClipInfo info;
    info.index = static_cast<std::size_t>(number * 100 + clip);
    info.key = "clip " + std::to_string(info.index);
    batch->infos.push_back(info);
  }
  return batch;
}

struct TinyOptions {
  std::int64_t batches = 7;  // an epoch
  std::int64_t clips = 4;    // of each but the last
  std::int64_t last_clips = 2;
  std::int64_t eval_batches = 3;
};

inline train::TrainFeed tiny_feed(const TinyOptions& options) {
  struct Cursor {
    std::int64_t epoch = 0, batch = 0;
  };
  auto cursor = std::make_shared<Cursor>();
  train::TrainFeed feed;
  feed.batches = options.batches;
  feed.clips = [options](std::int64_t b) {
    return b + 1 == options.batches ? options.last_clips : options.clips;
  };
  feed.start = [cursor](std::int64_t epoch, std::int64_t batch) { *cursor = {epoch, batch}; };
  feed.next = [cursor, feed_clips = feed.clips] {
    const std::int64_t number = cursor->batch++;
    return tiny_batch(cursor->epoch, number, feed_clips(number));
  };
  return feed;
}

inline train::EvalFeed tiny_eval(const TinyOptions& options) {
  auto next = std::make_shared<std::int64_t>(0);
  train::EvalFeed feed;
  feed.start = [next] { *next = 0; };
  feed.next = [next, options] {
    return *next < options.eval_batches ? tiny_batch(1000, (*next)++, 4) : std::unique_ptr<data::Batch>();
  };
  feed.clips = options.eval_batches * 4;
  return feed;
}

inline train::Parts tiny_parts(const TinyOptions& options = {}) {
  train::Parts parts;
  eval::seed_generator(at::kCPU, 11);
  parts.model = std::make_shared<TinyNet>();
  parts.loss = std::make_shared<PlainCrossEntropy>();
  parts.scheduler = std::make_shared<ConstantRate>();
  parts.train = tiny_feed(options);
  parts.eval = tiny_eval(options);
  return parts;
}

// What a run said.
struct RecordedLog : train::RunLog {
  std::vector<std::string> infos, warnings;
  std::vector<train::StepReport> steps;
  std::vector<std::map<std::string, double>> rows;
  void info(std::string_view text) override { infos.emplace_back(text); }
  void warn(std::string_view text) override { warnings.emplace_back(text); }
  void step(const train::StepReport& report) override { steps.push_back(report); }
  void evaluating(std::int64_t, std::int64_t) override {}
  void values(std::int64_t, std::int64_t, const std::map<std::string, double>& values) override {
    rows.push_back(values);
  }
};

// Copies of snapshots in memory, by name.
struct MemoryKeeper : train::Keeper {
  std::map<std::string, train::Snapshot> kept;
  std::vector<std::string> order, best;
  int failures = 0;  // of the next saves
  std::string save(const train::Snapshot& snapshot, const std::string& name, bool is_best) override {
    if (failures > 0) {
      --failures;
      throw Error(ErrorKind::run, name, "no space left on device");
    }
    train::Snapshot copy = snapshot;
    for (NamedTensor& named : copy.model) named.tensor = named.tensor.detach().clone();
    for (NamedTensor& named : copy.loss) named.tensor = named.tensor.detach().clone();
    for (NamedTensor& named : copy.optimizer) named.tensor = named.tensor.detach().clone();
    kept.insert_or_assign(name, std::move(copy));
    order.push_back(name);
    if (is_best) best.push_back(name);
    return name;
  }
  void release(const std::string& name) override { kept.erase(name); }
};

}  // namespace kinema::tests
