#include "framework/infer/summary.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>

#include <set>

#include "framework/infer/operator_count.h"
#include "kinema/run_context.h"

namespace kinema::infer {
namespace {

std::int64_t own_parameters(const Module& module) {
  std::int64_t count = 0;
  for (const NamedTensor& parameter : module.parameters())
    if (parameter.name.find('.') == std::string::npos) count += parameter.tensor.numel();
  return count;
}

class LayerTap final : public RunContext::Tap {
 public:
  explicit LayerTap(ModelSummary& summary) : summary_(summary) {}

  void ran(const Module& module, std::string_view block, const at::Tensor&,
           const at::Tensor& output) override {
    if (!block.empty()) return;  // its layers report themselves
    add(module, output);
  }
  // The model itself, and parameters of modules that no tap has seen.
  void finish(const Model& model, const at::Tensor& output) {
    for (const Module::NamedModule& part : model.modules())
      if (part.module != &model) add_parameters(*part.module);
    add(model, output);
  }

 private:
  void add(const Module& module, const at::Tensor& output) {
    LayerSummary layer{module.path(), module.type_name(), output.sizes().vec()};
    layer.multiply_adds = count_.take();
    layer.parameters = seen_.insert(&module).second ? own_parameters(module) : 0;
    const bool leaf = module.modules().size() == 1;
    if (!leaf && layer.multiply_adds == 0 && layer.parameters == 0) return;
    // What a container gives its last layer gave already.
    if (leaf) layer.output_bytes = static_cast<std::int64_t>(output.nbytes());
    append(std::move(layer));
  }
  void add_parameters(const Module& module) {
    if (!seen_.insert(&module).second || own_parameters(module) == 0) return;
    append({module.path(), module.type_name(), {}, 0, own_parameters(module), 0});
  }
  void append(LayerSummary layer) {
    summary_.multiply_adds += layer.multiply_adds;
    summary_.output_bytes += layer.output_bytes;
    summary_.layers.push_back(std::move(layer));
  }

  ModelSummary& summary_;
  OperatorCount count_;
  std::set<const Module*> seen_;
};

}  // namespace

ModelSummary summarise(Model& model, const ClipBatch& input) {
  const at::NoGradGuard no_grad;
  ModelSummary summary;
  summary.parameters = parameter_count(model);
  LayerTap tap(summary);
  RunContext context = run_context();
  context.tap = &tap;
  const RunContextScope scope(context);
  const bool was_training = model.training();
  model.train(false);
  tap.finish(model, model.forward(input).logits);
  model.train(was_training);
  return summary;
}

ClipBatch blank_input(std::int64_t frames, std::int64_t height, std::int64_t width) {
  ClipBatch input;
  input.clips["rgb"] = at::zeros({1, 3, frames, height, width}, at::kFloat);
  input.clips["flow"] = at::zeros({1, 2, frames, height, width}, at::kFloat);
  input.boxes =
      at::tensor({0.0, 0.0, 0.0, static_cast<double>(width), static_cast<double>(height)}, at::kFloat)
          .view({1, 5});
  return input;
}

std::int64_t parameter_count(const Module& module) {
  std::int64_t count = 0;
  for (const NamedTensor& parameter : module.parameters()) count += parameter.tensor.numel();
  return count;
}

}  // namespace kinema::infer
