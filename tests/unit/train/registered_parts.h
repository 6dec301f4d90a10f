#pragma once

#include <ATen/ops/ones.h>

#include "framework/data/transforms.h"
#include "framework/eval/builtin_metrics.h"
#include "framework/plugin/registry.h"
#include "framework/train/builtin_optimizers.h"
#include "tests/support/tiny_run.h"
#include "tests/unit/data/own_pixels.h"

// Components small enough for tests, in a registry, and an experiment that names them.
namespace kinema::tests {

inline int models_built = 0;

struct NumbersOptions {
  std::int64_t items = 10;
  std::vector<std::string> classes = {"a", "b", "c"};
};

// Items without files: every frame is one colour.
struct Numbers : Dataset {
  NumbersOptions options;
  explicit Numbers(NumbersOptions o) : options(std::move(o)) {}
  std::size_t size() const override { return static_cast<std::size_t>(options.items); }
  std::vector<std::string> classes() const override { return options.classes; }
  Item item(std::size_t index) const override {
    Item item;
    Source source;
    source.frames = std::make_shared<test::CountingFrames>(static_cast<int>(index), Size{8, 8}, 10);
    item.sources.push_back(source);
    item.target.label = static_cast<std::int64_t>(index % options.classes.size());
    item.key = "item " + std::to_string(index);
    return item;
  }
};

struct WatcherOptions {
  std::string monitor = "val/top1";
};
struct Watcher : Callback {
  std::string monitor;
  explicit Watcher(std::string name) : monitor(std::move(name)) {}
  std::vector<std::string> monitors() const override { return {monitor}; }
};

struct LearnedLoss : Loss {
  at::Tensor& scale = parameter("scale", at::ones({3}));
  LossValue operator()(const Output& output, const TargetBatch& target) override {
    return {at::cross_entropy_loss(output.logits.mul(scale), target.labels), {}};
  }
};

inline void register_parts(Registrar& registrar) {
  registrar.add<Model>("tiny", "a net", Options<NoOptions>(), [](const NoOptions&, Context&) {
    ++models_built;
    return std::make_shared<TinyNet>();
  });
  registrar.add<Loss>("plain", "a loss", Options<NoOptions>(),
                      [](const NoOptions&, Context&) { return std::make_shared<PlainCrossEntropy>(); });
  registrar.add<Loss>("learned", "a loss that learns", Options<NoOptions>(),
                      [](const NoOptions&, Context&) { return std::make_shared<LearnedLoss>(); });
  registrar.add<Dataset>("numbers", "a data set",
                         Options<NumbersOptions>()
                             .add("items", &NumbersOptions::items, "how many")
                             .add("classes", &NumbersOptions::classes, "their names"),
                         [](const NumbersOptions& o, Context&) { return std::make_shared<Numbers>(o); });
  registrar.add<Callback>(
      "watcher", "a callback", Options<WatcherOptions>().add("monitor", &WatcherOptions::monitor, "a metric"),
      [](const WatcherOptions& o, Context&) { return std::make_shared<Watcher>(o.monitor); });
}

inline Component<Callback> watcher(const std::string& monitor) {
  return {"watcher", Value::table({{"monitor", monitor}})};
}

// Ten clips to train on in batches of four, five to evaluate on; no file is read.
inline config::Experiment small_experiment() {
  config::Experiment experiment;
  experiment.resolved = Value::table();
  experiment.model.type = "tiny";
  experiment.loss.type = "plain";
  experiment.train_data.type = experiment.eval_data.type = "numbers";
  experiment.eval_data.options.set("items", 5);
  for (config::ClipOptions* clip : {&experiment.train_clip, &experiment.eval_clip}) {
    clip->frames = 2;
    clip->crop = 6;
  }
  experiment.loader.batch = 4;
  experiment.loader.workers = 0;
  return experiment;
}

inline void register_all(plugin::Registry& registry) {
  registry.register_builtins(data::register_builtin_transforms);
  registry.register_builtins(eval::register_builtin_metrics);
  registry.register_builtins(train::register_builtin_optimizers);
  registry.register_builtins(register_parts);
}

}  // namespace kinema::tests
