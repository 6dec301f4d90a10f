#include "kinema/run_context.h"

#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <thread>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

using ::testing::ElementsAre;

struct Net : Layer {
  Child<Sequential> body = child_of<Sequential>(
      "body", std::make_shared<Sequential>(std::initializer_list<std::shared_ptr<Layer>>{
                  std::make_shared<Conv3d>(Conv3dOptions{.in = 2, .out = 4, .kernel = 3}),
                  std::make_shared<BatchNorm>(4), std::make_shared<Relu>(true)}));
  Child<AdaptiveAvgPool3d> pool = child<AdaptiveAvgPool3d>("pool");

  at::Tensor forward(const at::Tensor& x) override {
    return pool(block(
        *this, "stage", [this](const at::Tensor& in) { return body(in); }, x));
  }
};

struct Record : RunContext::Tap {
  std::vector<std::string> lines;
  std::vector<at::Tensor> outputs;
  void ran(const Module& module, std::string_view name, const at::Tensor& input,
           const at::Tensor& output) override {
    std::ostringstream line;
    line << module.path() << "|" << name << " " << input.sizes() << "->" << output.sizes();
    lines.push_back(line.str());
    outputs.push_back(output);
  }
};

std::int64_t tracked(const Layer& norm) { return norm.buffers()[2].tensor.item<std::int64_t>(); }

TEST(run_context, tap_sees_every_layer_and_block_with_path_and_shapes) {
  Net net;
  Record record;
  RunContext context;
  context.tap = &record;
  {
    const RunContextScope scope(context);
    net(at::ones({2, 2, 3, 5, 7}));
  }
  EXPECT_THAT(
      record.lines,
      ElementsAre("body.0| [2, 2, 3, 5, 7]->[2, 4, 1, 3, 5]", "body.1| [2, 4, 1, 3, 5]->[2, 4, 1, 3, 5]",
                  "body.2| [2, 4, 1, 3, 5]->[2, 4, 1, 3, 5]", "body| [2, 2, 3, 5, 7]->[2, 4, 1, 3, 5]",
                  "|stage [2, 2, 3, 5, 7]->[2, 4, 1, 3, 5]", "pool| [2, 4, 1, 3, 5]->[2, 4, 1, 1, 1]",
                  "| [2, 2, 3, 5, 7]->[2, 4, 1, 1, 1]"));
  net(at::ones({2, 2, 3, 5, 7}));
  EXPECT_EQ(record.lines.size(), 7u);
}

TEST(run_context, what_a_tap_kept_is_not_overwritten_by_a_relu_in_place) {
  Net net;
  Record record;
  RunContext context;
  context.tap = &record;
  const RunContextScope scope(context);
  const at::Tensor x = at::ones({2, 2, 3, 5, 7});
  x.select(0, 1).fill_(-1);
  net(x);
  EXPECT_TRUE(record.outputs[1].lt(0).any().item<bool>());
  EXPECT_FALSE(record.outputs[2].lt(0).any().item<bool>());
}

TEST(run_context, relu_in_place_saves_memory_but_spares_leaves) {
  Relu relu(true);
  const at::Tensor x = at::full({3}, -1.0);
  EXPECT_EQ(relu(x).data_ptr(), x.data_ptr());
  const at::Tensor leaf = at::full({3}, -1.0).requires_grad_(true);
  EXPECT_NE(relu(leaf).data_ptr(), leaf.data_ptr());
}

TEST(run_context, block_runner_runs_the_body) {
  struct Twice : RunContext::BlockRunner {
    at::Tensor run(const std::function<at::Tensor(const at::Tensor&)>& body, const at::Tensor& x) override {
      return body(body(x));
    }
  } runner;
  RunContext context;
  context.block_runner = &runner;
  const RunContextScope scope(context);
  const Relu module;
  const at::Tensor y = block(
      module, "b", [](const at::Tensor& x) { return x.add(1); }, at::zeros({1}));
  EXPECT_EQ(y.item<float>(), 2);
}

TEST(run_context, scopes_nest_and_belong_to_their_thread) {
  RunContext frozen, plain;
  frozen.frozen_norm = true;
  EXPECT_FALSE(run_context().frozen_norm);
  {
    const RunContextScope outer(frozen);
    EXPECT_TRUE(run_context().frozen_norm);
    {
      const RunContextScope inner(plain);
      EXPECT_FALSE(run_context().frozen_norm);
    }
    EXPECT_TRUE(run_context().frozen_norm);
    std::thread([] { EXPECT_FALSE(run_context().frozen_norm); }).join();
  }
  EXPECT_FALSE(run_context().frozen_norm);
}

TEST(batch_norm, counts_batches_in_train_mode) {
  BatchNorm norm(2);
  norm(at::ones({3, 2}));
  norm(at::ones({3, 2}));
  EXPECT_EQ(tracked(norm), 2);
  norm.train(false);
  norm(at::ones({3, 2}));
  EXPECT_EQ(tracked(norm), 2);
}

TEST(batch_norm, frozen_uses_running_statistics_in_train_mode_and_still_trains_its_weights) {
  BatchNorm norm(2);
  RunContext context;
  context.frozen_norm = true;
  const RunContextScope scope(context);
  const at::Tensor y = norm(at::full({1, 2}, 3.0));
  EXPECT_NEAR(y.select(1, 0).item<double>(), 3, 1e-4);
  EXPECT_EQ(tracked(norm), 0);
  EXPECT_EQ(norm.buffers()[0].tensor.sum().item<double>(), 0);
  y.sum().backward();
  EXPECT_TRUE(norm.weight().grad().defined());
}

TEST(batch_norm, recomputing_uses_the_batch_and_leaves_the_statistics) {
  BatchNorm norm(2), fresh(2);
  const at::Tensor x = at::ones({4, 2}).cumsum(0);
  RunContext context;
  context.recomputing = true;
  const at::Tensor expected = fresh(x);
  const RunContextScope scope(context);
  EXPECT_TRUE(norm(x).equal(expected));
  EXPECT_EQ(tracked(norm), 0);
  EXPECT_EQ(norm.buffers()[0].tensor.sum().item<double>(), 0);
}

TEST(batch_norm, norm_sync_replaces_the_batch_statistics_in_train_mode_only) {
  struct Sync : RunContext::NormSync {
    int calls = 0;
    bool statistics = false;
    double momentum = 0, eps = 0;
    at::Tensor batch_norm(const at::Tensor& x, const at::Tensor&, const at::Tensor&, const at::Tensor& mean,
                          const at::Tensor& var, double m, double e) override {
      ++calls;
      statistics = mean.defined() && var.defined();
      momentum = m;
      eps = e;
      return x;
    }
  } sync;
  BatchNorm norm(BatchNormOptions{.features = 2, .eps = 1e-3, .momentum = 0.2});
  RunContext context;
  context.norm_sync = &sync;
  const RunContextScope scope(context);
  norm(at::ones({1, 2}));
  EXPECT_EQ(sync.calls, 1);
  EXPECT_TRUE(sync.statistics);
  EXPECT_EQ(sync.momentum, 0.2);
  EXPECT_EQ(sync.eps, 1e-3);
  EXPECT_EQ(tracked(norm), 1);
  norm.train(false);
  norm(at::ones({1, 2}));
  EXPECT_EQ(sync.calls, 1);
  norm.train();
  context.recomputing = true;
  norm(at::ones({1, 2}));
  EXPECT_FALSE(sync.statistics);
}

TEST(batch_norm, refuses_a_single_value_per_channel_in_train_mode) {
  Sequential row({std::make_shared<BatchNorm>(3)});
  try {
    row(at::ones({1, 3, 1, 1, 1}));
    FAIL() << "normalised single values";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(),
                 "0: too few values: expected more than 1 value per channel in train mode, got an input of "
                 "shape [1, 3, 1, 1, 1]\nhint: use larger batches or clips, or freeze batch norm");
  }
}

}  // namespace
}  // namespace kinema
