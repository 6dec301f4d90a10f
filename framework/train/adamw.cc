#include "framework/train/adamw.h"

#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <c10/core/GradMode.h>

#include <map>
#include <string>
#include <utility>

#include "kinema/error.h"

namespace kinema::train {
namespace {

std::vector<std::string_view> buffer_names(const AdamWOptions& options) {
  if (options.amsgrad) return {"exp_avg", "exp_avg_sq", "max_exp_avg_sq"};
  return {"exp_avg", "exp_avg_sq"};
}

// The kernel reads each parameter's step count from its device. Parameters mostly share one count, so a few
// small tensors serve them all.
std::vector<at::Tensor> counted_steps(SlotBatch& batch) {
  std::map<std::int64_t, at::Tensor> by_count;
  std::vector<at::Tensor> steps;
  for (ParameterSlot* slot : batch.slots) {
    at::Tensor& count = by_count[++slot->steps];
    if (!count.defined())
      count = at::full({}, slot->steps, at::device(slot->parameter.device()).dtype(at::kFloat));
    steps.push_back(count);
  }
  return steps;
}

}  // namespace

Options<AdamWOptions> adamw_options() {
  return Options<AdamWOptions>()
      .add("betas", &AdamWOptions::betas,
           "decay of the running mean of the gradient, and of its square; each from 0 to below 1", length(2),
           each(between(0, 1)))
      .add("eps", &AdamWOptions::eps, "added to the denominator", above(0))
      .add("amsgrad", &AdamWOptions::amsgrad, "divide by the largest running square so far")
      .check([](const AdamWOptions& o) {
        std::vector<std::string> problems;
        for (const double beta : o.betas)
          if (beta == 1) problems.push_back("betas out of range: expected numbers below 1, got 1");
        return problems;
      });
}

void AdamW::attach(std::vector<ParamGroup> groups) { groups_ = make_slot_groups("adamw", std::move(groups)); }

void AdamW::step(double lr, double momentum_factor) {
  check_step_arguments("adamw", lr, momentum_factor);
  const double beta1 = options_.betas[0] * momentum_factor;
  if (beta1 >= 1)
    throw Error(
        ErrorKind::run, "optimizer adamw",
        "bad momentum factor: expected the first beta times the factor below 1, got " + Value(beta1).text());
  const c10::NoGradGuard no_grad;
  const std::size_t buffer_count = buffer_names(options_).size();
  for (SlotGroup& group : groups_)
    for (SlotBatch& batch : batch_live_slots(group, buffer_count)) {
      const std::vector<at::Tensor> steps = counted_steps(batch);
      at::_fused_adamw_(batch.parameters, batch.gradients, batch.buffers[0], batch.buffers[1],
                        options_.amsgrad ? at::TensorList(batch.buffers[2]) : at::TensorList(), steps,
                        lr * group.lr_scale, beta1, options_.betas[1], group.weight_decay, options_.eps,
                        options_.amsgrad, /*maximize=*/false);
    }
}

std::vector<NamedTensor> AdamW::state() const { return save_slots(groups_, buffer_names(options_)); }

void AdamW::load_state(const std::vector<NamedTensor>& state) {
  load_slots("adamw", groups_, buffer_names(options_), state);
}

}  // namespace kinema::train
