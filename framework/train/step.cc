#include "framework/train/step.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/linalg_vector_norm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "framework/eval/assembly.h"
#include "framework/eval/autocast.h"
#include "framework/eval/device_batch.h"
#include "framework/train/mix.h"
#include "kinema/error.h"

namespace kinema::train {
namespace {

constexpr double kClipEpsilon = 1e-6;  // torch.nn.utils.clip_grad_norm_

double global_norm(const std::vector<at::Tensor>& gradients) {
  if (gradients.empty()) return 0;
  const at::Tensor norms = at::stack(at::_foreach_norm(gradients, 2));
  return at::linalg_vector_norm(norms, 2).item<double>();
}

}  // namespace

Step::Step(Model& model, Loss& loss, Optimizer& optimizer, const StepOptions& options)
    : model_(model), loss_(loss), optimizer_(optimizer), options_(options) {
  for (const Module* module : {static_cast<const Module*>(&model), static_cast<const Module*>(&loss)}) {
    for (const NamedTensor& parameter : module->parameters())
      if (parameter.tensor.requires_grad()) parameters_.push_back(parameter.tensor);
    for (const NamedTensor& buffer : module->buffers()) {
      buffers_.push_back(buffer.tensor);
      buffers_before_.push_back(at::empty_like(buffer.tensor));
    }
  }
  drop_gradients();
}

void Step::add(const data::Batch& batch, std::int64_t group_clips, std::uint64_t seed) {
  if (!std::exchange(in_group_, true)) remember_buffers();
  eval::DeviceBatch on_device = eval::to_device(batch, options_.device);
  Random random(seed, 0, 0, "mix");
  const std::optional<Mix> mix = draw_mix(options_.mix, batch.size, random);
  if (mix) mix_clips(on_device.clips, *mix);
  eval::seed_generator(options_.device, seed);
  Output output;
  {
    const eval::Autocast autocast(options_.device.type(), options_.precision);
    output = model_.forward(on_device.clips);
  }
  eval::check_output(output, batch);
  if (mix) mix_targets(on_device.targets, output.logits.size(1), *mix);
  on_device.targets.clips = &on_device.clips;
  const std::int64_t rows = output.logits.size(0);
  // No boxes, nothing to learn: a gradient of 0, which every parameter has.
  const LossValue value =
      rows > 0 ? loss_(output, on_device.targets) : LossValue{output.logits.sum(), {}, at::zeros({})};
  const double weight = value.weight.defined() ? value.weight.item<double>() : static_cast<double>(rows);
  if (weight < 0)
    throw Error(ErrorKind::plugin, "loss",
                fmt::format("bad weight of a batch: expected at least 0, got {}", weight));
  // What the whole group weighs is known at its end only: until then its clips stand for it.
  at::mul(value.total, weight / static_cast<double>(group_clips)).backward();
  loss_sum_ += value.total.item<double>() * weight;
  weight_sum_ += weight;
  group_clips_ = group_clips;
}

StepResult Step::finish(double lr, double momentum_factor) {
  const at::NoGradGuard no_grad;
  StepResult result;
  result.weight = std::exchange(weight_sum_, 0.0);
  result.loss = std::exchange(loss_sum_, 0.0) / (result.weight == 0 ? 1 : result.weight);
  std::vector<at::Tensor> present = gradients();
  const double scale = static_cast<double>(group_clips_) / result.weight;
  if (result.weight > 0 && scale != 1) at::_foreach_mul_(present, scale);
  result.grad_norm = global_norm(present);
  result.finite = std::isfinite(result.loss) && std::isfinite(result.grad_norm);
  if (result.finite) {
    if (options_.clip_grad_norm && result.grad_norm > *options_.clip_grad_norm)
      at::_foreach_mul_(present, *options_.clip_grad_norm / (result.grad_norm + kClipEpsilon));
    optimizer_.step(lr, momentum_factor);
  } else {
    restore_buffers();
  }
  in_group_ = false;
  drop_gradients();
  return result;
}

void Step::remember_buffers() {
  const at::NoGradGuard no_grad;
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_before_[i].copy_(buffers_[i]);
}

// One NaN in a running mean stays for ever: every later evaluation and checkpoint would have it.
void Step::restore_buffers() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) buffers_[i].copy_(buffers_before_[i]);
}

std::vector<at::Tensor> Step::gradients() const {
  std::vector<at::Tensor> present;
  for (const at::Tensor& parameter : parameters_)
    if (parameter.grad().defined()) present.push_back(parameter.grad());
  return present;
}

void Step::drop_gradients() {
  for (at::Tensor& parameter : parameters_) parameter.mutable_grad().reset();
}

}  // namespace kinema::train
