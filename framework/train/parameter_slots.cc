#include "framework/train/parameter_slots.h"

#include <ATen/ops/as_strided.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros_like.h>
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "kinema/error.h"

namespace kinema::train {
namespace {

std::string shape_text(const at::Tensor& t) { return fmt::format("[{}]", fmt::join(t.sizes(), ", ")); }

// Same values, the parameter's strides: a flat view of it then pairs the right elements.
at::Tensor laid_out_like(const at::Tensor& tensor, const at::Tensor& parameter) {
  if (tensor.strides() == parameter.strides() && tensor.dtype() == parameter.dtype()) return tensor;
  at::Tensor copy = at::empty_like(parameter);
  copy.copy_(tensor);
  return copy;
}

at::Tensor flat(const at::Tensor& tensor) {
  return at::as_strided(tensor, {tensor.numel()}, {1}, tensor.storage_offset());
}

}  // namespace

std::vector<SlotGroup> make_slot_groups(const std::string& optimizer, std::vector<ParamGroup> groups) {
  std::vector<Problem> problems;
  std::set<std::string> names;
  std::vector<SlotGroup> result;
  const auto refuse = [&](const std::string& what) {
    problems.push_back({"optimizer " + optimizer, what, {}, {}});
  };
  for (ParamGroup& group : groups) {
    SlotGroup made{{}, group.lr_scale, group.weight_decay};
    for (NamedTensor& p : group.parameters) {
      if (!names.insert(p.name).second)
        refuse(fmt::format("bad parameter groups: expected each parameter once, got {} twice", p.name));
      if (!p.tensor.defined()) {
        refuse(fmt::format("bad parameter {}: expected a tensor, got nothing", p.name));
        continue;
      }
      if (!at::isFloatingType(p.tensor.scalar_type()))
        refuse(fmt::format("bad parameter {}: expected a floating point tensor, got {}", p.name,
                           c10::toString(p.tensor.scalar_type())));
      if (!p.tensor.is_non_overlapping_and_dense())
        refuse(fmt::format("bad parameter {}: expected dense memory, got an expanded or strided view of {}",
                           p.name, shape_text(p.tensor)));
      made.slots.push_back({std::move(p.name), std::move(p.tensor), 0, {}});
    }
    result.push_back(std::move(made));
  }
  if (!problems.empty()) throw Error(ErrorKind::run, std::move(problems));
  return result;
}

std::vector<SlotBatch> batch_live_slots(SlotGroup& group, std::size_t buffer_count) {
  using Key = std::tuple<c10::DeviceType, c10::DeviceIndex, at::ScalarType, bool>;
  std::map<Key, SlotBatch> batches;
  for (ParameterSlot& slot : group.slots) {
    const at::Tensor& parameter = slot.parameter;
    const at::Tensor& gradient = parameter.grad();
    if (!gradient.defined()) continue;
    const at::Tensor values = parameter.detach();
    while (slot.buffers.size() < buffer_count) slot.buffers.push_back(at::zeros_like(values));
    const bool first = slot.steps == 0;
    SlotBatch& batch =
        batches[{parameter.device().type(), parameter.device().index(), parameter.scalar_type(), first}];
    batch.first = first;
    batch.slots.push_back(&slot);
    batch.parameters.push_back(flat(values));
    batch.gradients.push_back(flat(laid_out_like(gradient.detach(), values)));
    batch.buffers.resize(buffer_count);
    for (std::size_t i = 0; i < buffer_count; ++i) {
      slot.buffers[i] = laid_out_like(slot.buffers[i], values);
      batch.buffers[i].push_back(flat(slot.buffers[i]));
    }
  }
  std::vector<SlotBatch> result;
  for (auto& [key, batch] : batches) result.push_back(std::move(batch));
  return result;
}

std::vector<NamedTensor> save_slots(const std::vector<SlotGroup>& groups,
                                    const std::vector<std::string_view>& buffer_names) {
  std::vector<NamedTensor> state;
  for (const SlotGroup& group : groups)
    for (const ParameterSlot& slot : group.slots) {
      state.push_back({slot.name + ".step", at::full({}, slot.steps, at::kLong)});
      for (std::size_t i = 0; i < slot.buffers.size(); ++i)
        state.push_back({fmt::format("{}.{}", slot.name, buffer_names[i]), slot.buffers[i]});
    }
  return state;
}

void load_slots(const std::string& optimizer, std::vector<SlotGroup>& groups,
                const std::vector<std::string_view>& buffer_names, const std::vector<NamedTensor>& state) {
  std::vector<Problem> problems;
  const auto refuse = [&](const std::string& what) {
    problems.push_back({"state of optimizer " + optimizer, what, {}, {}});
  };
  std::unordered_map<std::string, at::Tensor> unread;
  for (const NamedTensor& entry : state) unread.emplace(entry.name, entry.tensor);

  const auto take = [&](const std::string& name, at::IntArrayRef shape) {
    const auto found = unread.find(name);
    if (found == unread.end() || !found->second.defined()) {
      refuse(fmt::format("missing tensor: expected {}, got none", name));
      return at::Tensor();
    }
    at::Tensor tensor = found->second;
    unread.erase(found);
    if (tensor.sizes() == shape) return tensor;
    refuse(fmt::format("wrong shape of {}: expected [{}], got {}", name, fmt::join(shape, ", "),
                       shape_text(tensor)));
    return at::Tensor();
  };

  std::vector<ParameterSlot> loaded;
  for (const SlotGroup& group : groups)
    for (const ParameterSlot& slot : group.slots) {
      ParameterSlot next{slot.name, slot.parameter, 0, {}};
      const at::Tensor steps = take(slot.name + ".step", {});
      if (steps.defined()) next.steps = steps.item().toLong();
      if (next.steps < 0)
        refuse(fmt::format("bad value of {}.step: expected at least 0, got {}", slot.name, next.steps));
      for (std::size_t i = 0; next.steps > 0 && i < buffer_names.size(); ++i)
        next.buffers.push_back(
            take(fmt::format("{}.{}", slot.name, buffer_names[i]), slot.parameter.sizes()));
      loaded.push_back(std::move(next));
    }
  for (const NamedTensor& entry : state)
    if (unread.contains(entry.name))
      refuse(fmt::format("unexpected tensor: expected those of the parameters alone, got {}", entry.name));
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));

  auto next = loaded.begin();
  for (SlotGroup& group : groups)
    for (ParameterSlot& slot : group.slots) {
      for (at::Tensor& buffer : next->buffers) {
        at::Tensor own = at::empty_like(slot.parameter.detach());
        own.copy_(buffer);
        buffer = own;
      }
      slot = std::move(*next++);
    }
}

void check_step_arguments(const std::string& optimizer, double lr, double momentum_factor) {
  const auto check = [&](const char* name, double value) {
    if (std::isfinite(value) && value >= 0) return;
    throw Error(ErrorKind::run, "optimizer " + optimizer,
                fmt::format("bad {}: expected a finite number of at least 0, got {}", name, value));
  };
  check("learning rate", lr);
  check("momentum factor", momentum_factor);
}

}  // namespace kinema::train
