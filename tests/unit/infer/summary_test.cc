#include "framework/infer/summary.h"

#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
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

}  // namespace
}  // namespace kinema::infer
