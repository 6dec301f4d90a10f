#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/optimizer.h"

// What an optimizer over fused kernels keeps for each parameter, and how that is handed to the kernels, saved
// and loaded.
namespace kinema::train {

struct ParameterSlot {
  std::string name;
  at::Tensor parameter;
  std::int64_t steps = 0;           // updates so far; buffers exist from the first one on
  std::vector<at::Tensor> buffers;  // dtype, device and strides of the parameter
};

struct SlotGroup {
  std::vector<ParameterSlot> slots;
  double lr_scale = 1;
  double weight_decay = 0;
};

// Throws Error(run) that lists parameters that are named twice, not of floating point, or not dense.
std::vector<SlotGroup> make_slot_groups(const std::string& optimizer, std::vector<ParamGroup> groups);

// The slots of one kernel call: same device, same dtype, all before or all after their first update. Tensors
// are one-dimensional views in memory order, since the kernels take nothing but contiguous ones.
struct SlotBatch {
  std::vector<ParameterSlot*> slots;
  std::vector<at::Tensor> parameters;
  std::vector<at::Tensor> gradients;
  std::vector<std::vector<at::Tensor>> buffers;  // [what][slot]
  bool first = false;
};

// Slots whose parameter has a gradient, batched; creates zero buffers (`buffer_count` of them) where there
// are none yet.
std::vector<SlotBatch> batch_live_slots(SlotGroup& group, std::size_t buffer_count);

// "<parameter>.step" (int64) of every slot and "<parameter>.<buffer>" of those that took a step.
std::vector<NamedTensor> save_slots(const std::vector<SlotGroup>& groups,
                                    const std::vector<std::string_view>& buffer_names);
// Copies; Error(data) lists everything missing, misshapen and unexpected, and nothing is changed then.
void load_slots(const std::string& optimizer, std::vector<SlotGroup>& groups,
                const std::vector<std::string_view>& buffer_names, const std::vector<NamedTensor>& state);

// Throws Error(run) unless both are finite and not negative.
void check_step_arguments(const std::string& optimizer, double lr, double momentum_factor);

}  // namespace kinema::train
