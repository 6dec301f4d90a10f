#include "framework/infer/summary.h"

#include <ATen/core/grad_mode.h>

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
    for (const NamedTensor& parameter : module.parameters()) layer.parameters += parameter.tensor.numel();
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
  for (const NamedTensor& parameter : model.parameters()) summary.parameters += parameter.tensor.numel();
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

}  // namespace kinema::infer
