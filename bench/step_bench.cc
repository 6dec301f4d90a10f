// One training step of r3d_18 on 4 x 3 x 16 x 112 x 112, float32: forward, cross entropy, backward, fused
// SGD.
#include <ATen/Parallel.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/rand.h>
#include <benchmark/benchmark.h>

#include "framework/plugin/registry.h"
#include "framework/train/param_groups.h"
#include "framework/train/sgd.h"
#include "kinema/model.h"

namespace {

using namespace kinema;

void r3d_18_step(benchmark::State& state) {
  at::set_num_threads(static_cast<int>(state.range(0)));
  plugin::Registry registry;
  registry.load({std::filesystem::path(KINEMA_BUILD_DIR) / "plugins" / "resnet3d.so"});
  plugin::MakeContext context;
  context.num_classes = 400;
  const auto model = registry.make<Model>("resnet3d", Value::table({{"preset", "r3d_18"}}), context);
  train::Sgd optimizer({.momentum = 0.9});
  optimizer.attach(train::make_param_groups(*model, nullptr, {}));
  ClipBatch batch;
  batch.clips["rgb"] = at::rand({4, 16, 112, 112, 3}).permute({0, 4, 1, 2, 3});
  const at::Tensor labels = at::full({4}, 3, at::kLong);
  for (auto _ : state) {
    at::cross_entropy_loss(model->forward(batch).logits, labels).backward();
    optimizer.step(0.01, 1);
    for (const NamedTensor& parameter : model->parameters()) parameter.tensor.mutable_grad().reset();
  }
}
BENCHMARK(r3d_18_step)
    ->ArgName("threads")
    ->Arg(2)
    ->Unit(benchmark::kSecond)
    ->UseRealTime()
    ->Iterations(3)
    ->Repetitions(3);

}  // namespace

BENCHMARK_MAIN();
