// The weight gradient of 3D convolutions: our kernel beside ATen's, on the layers of the networks that people
// train on 16-frame clips. Both run the backward pass of the weight alone, channels last.
#include <ATen/Parallel.h>
#include <ATen/ops/conv3d.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/rand_like.h>
#include <benchmark/benchmark.h>

#include <array>

#include "kinema/layers.h"

namespace {

using namespace kinema;

struct Case {
  const char* name;
  std::array<std::int64_t, 5> x;
  Conv3dOptions conv;
};

Conv3dOptions conv(std::int64_t in, std::int64_t out, Extent<3> kernel, Extent<3> stride) {
  return {.in = in,
          .out = out,
          .kernel = kernel,
          .stride = stride,
          .padding = {kernel[0] / 2, kernel[1] / 2, kernel[2] / 2},
          .bias = false};
}

const Case kCases[] = {
    {"weizmann stem", {8, 3, 16, 64, 64}, conv(3, 24, {3, 7, 7}, {1, 2, 2})},
    {"weizmann layer1", {8, 24, 16, 32, 32}, conv(24, 24, 3, 1)},
    {"weizmann layer2 first", {8, 24, 16, 32, 32}, conv(24, 48, 3, 2)},
    {"weizmann layer2", {8, 48, 8, 16, 16}, conv(48, 48, 3, 1)},
    {"weizmann layer3", {8, 96, 4, 8, 8}, conv(96, 96, 3, 1)},
    {"r3d_18 stem", {4, 3, 16, 112, 112}, conv(3, 64, {3, 7, 7}, {1, 2, 2})},
    {"r3d_18 layer1", {4, 64, 16, 56, 56}, conv(64, 64, 3, 1)},
    {"r3d_18 layer2", {4, 128, 8, 28, 28}, conv(128, 128, 3, 1)},
    {"r3d_18 layer3", {4, 256, 4, 14, 14}, conv(256, 256, 3, 1)},
    {"i3d_r50 1x3x3", {1, 64, 8, 56, 56}, conv(64, 64, {1, 3, 3}, 1)},
    {"i3d_r50 1x1x1", {1, 256, 8, 56, 56}, conv(256, 64, 1, 1)},
};

void weight_gradient(benchmark::State& state, bool ours) {
  const Case& the = kCases[state.range(0)];
  at::set_num_threads(2);
  state.SetLabel(the.name);
  Conv3d layer(the.conv);
  const at::Tensor x = at::rand(the.x).contiguous(at::MemoryFormat::ChannelsLast3d);
  const at::Tensor y = ours ? layer(x) : at::conv3d(x, layer.weight(), {}, the.conv.stride, the.conv.padding);
  const at::Tensor grad = at::rand_like(y.detach());
  for (auto _ : state) {
    layer.weight().mutable_grad().reset();
    y.backward(grad, true);
  }
  const double products = static_cast<double>(y.numel()) * static_cast<double>(layer.weight().numel()) /
                          static_cast<double>(the.conv.out);
  state.counters["GFLOP/s"] =
      benchmark::Counter(2e-9 * products, benchmark::Counter::kIsIterationInvariantRate);
}

#define KINEMA_CASES DenseRange(0, std::size(kCases) - 1)->Unit(benchmark::kMillisecond)->UseRealTime()
BENCHMARK_CAPTURE(weight_gradient, ours, true)->KINEMA_CASES;
BENCHMARK_CAPTURE(weight_gradient, aten, false)->KINEMA_CASES;

}  // namespace

BENCHMARK_MAIN();
