#include "framework/infer/summary.h"

#include <ATen/ops/flatten.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"

namespace kinema::infer {
namespace {

using testing::ElementsAre;

// Products and a parameter of its own beside a layer: as attention has them.
struct Mixer final : Layer {
  at::Tensor& bias = parameter("bias", at::ones({5}));
  Child<Linear> inner = child<Linear>("inner", 3, 5);
  at::Tensor forward(const at::Tensor& x) override {
    const at::Tensor y = inner(x);
    return at::matmul(y, y.transpose(-2, -1)).sum(-1, true).add(bias);
  }
};

struct Net final : Model {
  at::Tensor& token = parameter("token", at::ones({7}));
  Child<Mixer> mixer = child<Mixer>("mixer");
  Child<Relu> relu = child<Relu>("relu");
  Output forward(const ClipBatch& batch) override {
    const at::Tensor x = batch.rgb().flatten(2).transpose(1, 2);  // [1, positions, 3]
    return {relu(mixer(x)).mean(1).add(token.sum()), {}};
  }
};

TEST(summary, gives_products_and_parameters_to_the_module_that_holds_them) {
  Net net;
  const ModelSummary summary = summarise(net, blank_input(1, 2, 2));
  std::vector<std::string> paths;
  std::vector<std::int64_t> parameters, multiply_adds;
  for (const LayerSummary& layer : summary.layers) {
    paths.push_back(layer.path);
    parameters.push_back(layer.parameters);
    multiply_adds.push_back(layer.multiply_adds);
  }
  EXPECT_THAT(paths, ElementsAre("mixer.inner", "mixer", "relu", ""));
  EXPECT_THAT(parameters, ElementsAre(20, 5, 0, 7));
  EXPECT_THAT(multiply_adds, ElementsAre(4 * 3 * 5, 4 * 5 * 4, 0, 0));
  EXPECT_EQ(summary.parameters, 32);
  EXPECT_EQ(summary.multiply_adds, 60 + 80);
  EXPECT_EQ(summary.layers[0].output_bytes, 4 * 5 * 4);
}

struct SmallNet : Model {
  Child<Conv3d> conv = child<Conv3d>(
      "conv", Conv3dOptions{.in = 4, .out = 6, .kernel = 3, .padding = 1, .groups = 2, .bias = true});
  Child<AdaptiveAvgPool3d> pool = child<AdaptiveAvgPool3d>("pool");
  Child<Linear> fc = child<Linear>("fc", 6, 5);
  Output forward(const ClipBatch& batch) override {
    return {fc(at::flatten(pool(conv(batch.rgb())), 1)), {}};
  }
};

TEST(summary, counts_each_layer_by_hand) {
  SmallNet net;
  net.train();
  ClipBatch input;
  input.clips["rgb"] = at::zeros({2, 4, 3, 8, 8}, at::kFloat);
  const ModelSummary summary = summarise(net, input);
  ASSERT_EQ(summary.layers.size(), 3u);
  EXPECT_EQ(summary.layers[0].path, "conv");
  EXPECT_THAT(summary.layers[0].output, ElementsAre(2, 6, 3, 8, 8));
  EXPECT_EQ(summary.layers[0].parameters, 6 * 2 * 27 + 6);
  EXPECT_EQ(summary.layers[0].multiply_adds, 2 * 6 * 3 * 8 * 8 * 2 * 27);
  EXPECT_EQ(summary.layers[1].multiply_adds, 0);
  EXPECT_EQ(summary.layers[2].multiply_adds, 2 * 5 * 6);
  EXPECT_EQ(summary.parameters, 6 * 2 * 27 + 6 + 5 * 6 + 5);
  EXPECT_TRUE(net.training());
}

}  // namespace
}  // namespace kinema::infer
