#include "kinema/layers.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <mutex>

#include "kinema/error.h"
#include "kinema/model.h"

namespace kinema {
namespace {

using ::testing::HasSubstr;

void seed(std::uint64_t value) {
  at::Generator generator = at::detail::getDefaultCPUGenerator();
  const std::lock_guard lock(generator.mutex());
  generator.set_current_seed(value);
}

template <class F>
std::string message(F&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::plugin);
    return error.what();
  }
  return "no error";
}

TEST(conv, refuses_wrong_options_all_at_once) {
  const std::string text = message([] {
    Conv3d({.in = 3, .out = 4, .kernel = {3, 0, 3}, .stride = 0, .padding = {0, 0, -1}, .groups = 2});
  });
  EXPECT_THAT(text, HasSubstr("Conv3d: wrong groups: expected a divisor of in, got 2"));
  EXPECT_THAT(text, HasSubstr("Conv3d: wrong kernel: expected positive sizes, got 0"));
  EXPECT_THAT(text, HasSubstr("Conv3d: wrong stride: expected positive sizes, got 0"));
  EXPECT_THAT(text, HasSubstr("Conv3d: wrong padding: expected sizes of at least 0, got -1"));
  EXPECT_THAT(message([] { Conv1d({.in = 0, .out = 4, .groups = 0}); }),
              HasSubstr("Conv1d: wrong in: expected a positive number of channels, got 0\n"
                        "Conv1d: wrong groups: expected a positive number, got 0"));
}

TEST(layers, refuse_wrong_sizes) {
  EXPECT_EQ(message([] { BatchNorm(0); }),
            "BatchNorm: wrong features: expected a positive number of channels, got 0");
  EXPECT_EQ(message([] { LayerNorm(-1); }), "LayerNorm: wrong features: expected a positive number, got -1");
  EXPECT_EQ(message([] { Linear(3, 0); }),
            "Linear: wrong size: expected in and out to be positive, got in 3, out 0");
  EXPECT_THAT(message([] { Dropout(1.5); }),
              HasSubstr("Dropout: wrong probability: expected a number between 0 and 1, got 1.5"));
  EXPECT_THAT(message([] { Dropout(std::nan("")); }), HasSubstr("wrong probability"));
  EXPECT_EQ(message([] {
              MaxPool3d({.kernel = 3, .padding = {2, 0, 0}});
            }),
            "MaxPool3d: wrong padding: expected sizes of 0 to half the kernel, got 2");
  EXPECT_EQ(message([] {
              AdaptiveAvgPool3d({1, 0, 1});
            }),
            "AdaptiveAvgPool3d: wrong output: expected positive sizes, got 0");
}

TEST(conv3d, keeps_channels_last_memory) {
  Conv3d conv({.in = 4, .out = 8, .kernel = 3, .padding = 1});
  const at::Tensor frames = at::ones({2, 3, 8, 8, 4});  // N, T, H, W, C
  const at::Tensor y = conv(frames.permute({0, 4, 1, 2, 3}));
  EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast3d));
}

TEST(dropout, zeroes_the_asked_for_share_and_scales_the_rest_in_train_mode) {
  Dropout dropout(0.25);
  seed(1);
  const at::Tensor y = dropout(at::ones({100000}));
  EXPECT_NEAR(y.eq(0).sum().item<double>() / 1e5, 0.25, 0.01);
  EXPECT_NEAR(y.max().item<double>(), 1 / 0.75, 1e-6);
  seed(1);
  EXPECT_TRUE(dropout(at::ones({100000})).equal(y));
  dropout.train(false);
  EXPECT_TRUE(dropout(at::ones({7})).equal(at::ones({7})));
}

TEST(stochastic_depth, leaves_out_whole_samples_and_scales_the_rest_in_train_mode) {
  StochasticDepth depth(0.25);
  seed(1);
  const at::Tensor y = depth(at::ones({10000, 2, 3}));
  const at::Tensor first = y.select(1, 0).select(1, 0);
  EXPECT_TRUE(y.eq(first.view({-1, 1, 1})).all().item<bool>());
  EXPECT_NEAR(first.eq(0).sum().item<double>() / 1e4, 0.25, 0.02);
  EXPECT_NEAR(y.max().item<double>(), 1 / 0.75, 1e-6);
  depth.train(false);
  EXPECT_TRUE(depth(at::ones({7})).equal(at::ones({7})));
  EXPECT_TRUE(StochasticDepth(1)(at::ones({7})).equal(at::zeros({7})));
  EXPECT_THAT(message([] { StochasticDepth(1.5); }), HasSubstr("expected a number between 0 and 1"));
}

TEST(sequential, names_children_by_position_or_as_told) {
  Sequential row({std::make_shared<Relu>(), std::make_shared<Relu>()});
  row.add(std::make_shared<Relu>(), "third").add(std::make_shared<Relu>());
  EXPECT_EQ(row.size(), 4u);
  EXPECT_NE(row.find("third"), nullptr);
  EXPECT_NE(row.find("3"), nullptr);
  const at::Tensor x = at::ones({2});
  EXPECT_TRUE(Sequential()(x).equal(x));
}

TEST(init, kaiming_normal_fan_out_has_the_deviation_of_he_et_al) {
  seed(3);
  at::Tensor weight = at::empty({64, 8, 3, 3, 3});
  init::kaiming_normal_fan_out(weight);
  const double expected = std::sqrt(2.0 / (64 * 27));
  EXPECT_NEAR(weight.std().item<double>(), expected, 0.02 * expected);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 0.02 * expected);
  at::Tensor vector = at::empty({3});
  EXPECT_EQ(message([&] { init::kaiming_normal_fan_out(vector); }),
            "kaiming_normal_fan_out: wrong rank: expected a weight of rank 2 or more, got 1");
}

// A normal variable cut at two deviations has 0.8796 of its deviation.
TEST(init, truncated_normal_has_no_values_beyond_two) {
  seed(3);
  at::Tensor weight = at::empty({100000});
  init::truncated_normal(weight, 1);
  EXPECT_NEAR(weight.std().item<double>(), 0.8796, 0.01);
  EXPECT_LE(weight.abs().max().item<double>(), 2);
  init::truncated_normal(weight, 0.02);
  EXPECT_NEAR(weight.std().item<double>(), 0.02, 0.0005);
  EXPECT_NEAR(weight.mean().item<double>(), 0, 0.0005);
}

// Drawing on several threads is drawing on one: the values, and what is drawn afterwards.
TEST(init, draws_torchs_numbers_on_any_number_of_threads) {
  const int before = at::get_num_threads();
  for (const int threads : {1, 2, 3}) {
    for (const std::int64_t size : {15, 40000, 624 * 64, 624 * 64 + 1, 624 * 100, 1234567}) {
      at::set_num_threads(threads);
      const auto filled = [&](const auto& fill) {
        seed(5);
        std::vector<at::Tensor> drawn = {at::rand({7}), at::empty({size})};
        fill(drawn.back());
        drawn.push_back(at::rand({700}));
        return at::cat(drawn);
      };
      const at::Tensor ours = filled([](at::Tensor& x) { init::normal(x, 0.5); });
      EXPECT_TRUE(ours.equal(filled([](at::Tensor& x) { x.normal_(0, 0.5); }))) << size << ", " << threads;
      EXPECT_TRUE(filled([](at::Tensor& x) { init::truncated_normal(x, 1); }).equal(filled([](at::Tensor& x) {
        const double within = std::erf(2 / std::sqrt(2.0));
        x.uniform_(-within, within).erfinv_().mul_(std::sqrt(2.0)).clamp_(-2, 2);
      }))) << size
           << ", " << threads;
      seed(5);
      const Linear layer({.in = size, .out = 1, .bias = false});
      seed(5);
      const double bound = 1 / std::sqrt(static_cast<double>(size));
      EXPECT_TRUE(layer.parameters()[0].tensor.equal(at::empty({1, size}).uniform_(-bound, bound)))
          << size << ", " << threads;
    }
  }
  at::set_num_threads(before);
}

TEST(clip_batch, names_the_modalities_it_has) {
  ClipBatch batch;
  EXPECT_THAT(message([&] { batch.rgb(); }),
              HasSubstr("model: no clip of that modality in the batch: expected rgb, got none"));
  batch.clips["flow"] = at::ones({1});
  batch.clips["audio"] = at::ones({1});
  EXPECT_THAT(message([&] { batch.rgb(); }), HasSubstr("expected rgb, got audio, flow"));
  EXPECT_TRUE(batch.clip("flow").equal(at::ones({1})));
}

}  // namespace
}  // namespace kinema
