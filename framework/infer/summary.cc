#include "framework/infer/summary.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>

#include "kinema/layers.h"
#include "kinema/run_context.h"

namespace kinema::infer {
namespace {

template <std::size_t D>
std::int64_t per_output(const ConvOptions<D>& options) {
  std::int64_t count = options.in / options.groups;
  for (const std::int64_t extent : options.kernel) count *= extent;
  return count;
}

std::int64_t multiply_adds(const Module& module, const at::Tensor& output) {
  if (const auto* conv = dynamic_cast<const Conv3d*>(&module))
    return output.numel() * per_output(conv->options());
  if (const auto* conv = dynamic_cast<const Conv2d*>(&module))
    return output.numel() * per_output(conv->options());
  if (const auto* conv = dynamic_cast<const Conv1d*>(&module))
    return output.numel() * per_output(conv->options());
  if (const auto* linear = dynamic_cast<const Linear*>(&module)) return output.numel() * linear->options().in;
  return 0;
}

class LayerTap final : public RunContext::Tap {
 public:
  explicit LayerTap(ModelSummary& summary) : summary_(summary) {}
  void ran(const Module& module, std::string_view block, const at::Tensor&,
           const at::Tensor& output) override {
    if (!block.empty()) return;
    if (module.modules().size() > 1) return;  // a container: its layers report themselves
    LayerSummary layer{module.path(), module.type_name(), output.sizes().vec()};
    layer.parameters = parameter_count(module);
    layer.multiply_adds = multiply_adds(module, output);
    summary_.multiply_adds += layer.multiply_adds;
    summary_.layers.push_back(std::move(layer));
  }

 private:
  ModelSummary& summary_;
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
  model.forward(input);
  model.train(was_training);
  return summary;
}

ModelSummary summarise(Model& model, std::int64_t frames, std::int64_t height, std::int64_t width) {
  ClipBatch input;
  input.clips["rgb"] = at::zeros({1, 3, frames, height, width}, at::kFloat);
  return summarise(model, input);
}

std::int64_t parameter_count(const Module& module) {
  std::int64_t count = 0;
  for (const NamedTensor& parameter : module.parameters()) count += parameter.tensor.numel();
  return count;
}

}  // namespace kinema::infer
