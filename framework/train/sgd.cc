#include "framework/train/sgd.h"

#include <ATen/ops/_fused_sgd.h>
#include <c10/core/GradMode.h>

#include <string>
#include <utility>

namespace kinema::train {
namespace {

std::vector<std::string_view> buffer_names(const SgdOptions& options) {
  if (options.momentum == 0) return {};
  return {"momentum"};
}

}  // namespace

Options<SgdOptions> sgd_options() {
  return Options<SgdOptions>()
      .add("momentum", &SgdOptions::momentum, "share of the last update that is kept; 0: plain descent",
           between(0, 1))
      .add("dampening", &SgdOptions::dampening, "share of the gradient that momentum leaves out",
           between(0, 1))
      .add("nesterov", &SgdOptions::nesterov,
           "look ahead along the momentum; needs momentum above 0 and dampening 0")
      .check([](const SgdOptions& o) {
        std::vector<std::string> problems;
        if (o.nesterov && (o.momentum == 0 || o.dampening != 0))
          problems.push_back(
              "nesterov is not possible: expected momentum above 0 and dampening 0, got momentum " +
              Value(o.momentum).text() + " and dampening " + Value(o.dampening).text());
        return problems;
      });
}

void Sgd::attach(std::vector<ParamGroup> groups) { groups_ = make_slot_groups("sgd", std::move(groups)); }

void Sgd::step(double lr, double momentum_factor) {
  check_step_arguments("sgd", lr, momentum_factor);
  const c10::NoGradGuard no_grad;
  const std::size_t buffer_count = buffer_names(options_).size();
  for (SlotGroup& group : groups_)
    for (SlotBatch& batch : batch_live_slots(group, buffer_count)) {
      at::_fused_sgd_(batch.parameters, batch.gradients,
                      buffer_count ? at::TensorList(batch.buffers[0]) : at::TensorList(), group.weight_decay,
                      options_.momentum * momentum_factor, lr * group.lr_scale, options_.dampening,
                      options_.nesterov, /*maximize=*/false, batch.first);
      for (ParameterSlot* slot : batch.slots) ++slot->steps;
    }
}

std::vector<NamedTensor> Sgd::state() const { return save_slots(groups_, buffer_names(options_)); }

void Sgd::load_state(const std::vector<NamedTensor>& state) {
  load_slots("sgd", groups_, buffer_names(options_), state);
}

}  // namespace kinema::train
