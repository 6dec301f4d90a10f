#include "framework/infer/memory.h"

#include <ATen/ops/flatten.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include "framework/infer/summary.h"
#include "kinema/layers.h"

namespace kinema::infer {
namespace {

// One convolution that keeps its size and a mean.
struct Net final : Model {
  Child<Conv3d> conv =
      child<Conv3d>("conv", Conv3dOptions{.in = 3, .out = 8, .kernel = 3, .padding = 1, .bias = false});
  Child<Relu> relu = child<Relu>("relu");
  Output forward(const ClipBatch& batch) override { return {relu(conv(batch.rgb())).flatten(2).mean(2), {}}; }
};

// Momentum for each parameter, from the first step on.
struct Momentum final : Optimizer {
  std::vector<NamedTensor> velocity;
  std::vector<ParamGroup> groups;
  void attach(std::vector<ParamGroup> given) override { groups = std::move(given); }
  void step(double, double) override {
    for (const NamedTensor& parameter : groups[0].parameters)
      velocity.push_back({parameter.name, at::zeros(parameter.tensor.sizes())});
  }
  std::vector<NamedTensor> state() const override { return velocity; }
  void load_state(const std::vector<NamedTensor>&) override {}
};

constexpr std::int64_t kWeights = 8 * 3 * 27 * 4;   // bytes
constexpr std::int64_t kMap = 8 * 4 * 16 * 16 * 4;  // of a sample's output

TEST(training_memory, says_what_each_part_takes) {
  Net net;
  Momentum momentum;
  const TrainingMemory memory = training_memory(net, momentum, blank_input(4, 16, 16));
  EXPECT_EQ(memory.parameters, kWeights);
  EXPECT_EQ(memory.gradients, kWeights);
  EXPECT_EQ(memory.optimizer, kWeights);
  EXPECT_EQ(memory.buffers, 0);
  // The result of the activation is kept for its backward pass, and the convolution's input is not ours.
  EXPECT_GE(memory.saved, kMap);
  EXPECT_LE(memory.saved, 2 * kMap + 4096);
  EXPECT_GE(memory.peak, memory.saved);
  EXPECT_TRUE(net.training());
}

TEST(training_memory, says_what_a_budget_holds) {
  TrainingMemory memory;
  memory.parameters = memory.gradients = 100;
  memory.peak = 30;
  EXPECT_EQ(largest_batch(memory, 289), 2);
  EXPECT_EQ(largest_batch(memory, 290), 3);
  EXPECT_EQ(largest_batch(memory, 100), 0);
}

}  // namespace
}  // namespace kinema::infer
