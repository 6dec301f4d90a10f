#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include "framework/app/commands.h"
#include "framework/app/console.h"
#include "framework/app/session.h"
#include "framework/app/tensor_file.h"
#include "framework/checkpoint/safetensors.h"
#include "framework/checkpoint/weights.h"
#include "kinema/error.h"
#include "kinema/loss.h"

namespace kinema::app {
namespace {

constexpr const char* kBoxes = "boxes";

ClipBatch read_input(const std::string& path, at::ScalarType dtype) {
  ClipBatch input;
  for (NamedTensor& named : checkpoint::read_safetensors(checkpoint::real_file_system(), path).tensors) {
    at::Tensor tensor = named.tensor.to(dtype);
    if (named.name == kBoxes) {
      if (tensor.dim() != 2 || tensor.size(1) != 5)
        throw Error(
            ErrorKind::data, path,
            fmt::format("wrong shape of boxes: expected [R, 5], got [{}]", fmt::join(tensor.sizes(), ", ")));
      input.boxes = tensor;
    } else if (tensor.dim() == 5) {
      input.clips[named.name] = tensor;
    } else {
      throw Error(ErrorKind::data, path,
                  fmt::format("wrong shape of {}: expected [N, C, T, H, W], got {} dimensions", named.name,
                              tensor.dim()));
    }
  }
  return input;
}

std::vector<NamedTensor> run_eval(Model& model, const ClipBatch& input) {
  const at::NoGradGuard no_grad;
  model.train(false);
  return {{"logits", model.forward(input).logits.contiguous()}};
}

std::vector<NamedTensor> run_train(Model& model, const ClipBatch& input, Loss& loss, std::int64_t label) {
  model.train();
  const Output output = model.forward(input);
  if (label >= output.logits.size(1))
    throw Error(ErrorKind::usage, "command line",
                fmt::format("--train-loss: no such label: expected one below {}, got {}",
                            output.logits.size(1), label));
  TargetBatch target;
  target.labels = at::full({output.logits.size(0)}, label, at::kLong);
  const at::Tensor total = loss(output, target).total;
  total.backward();
  std::vector<NamedTensor> results = {{"logits", output.logits.detach().contiguous()},
                                      {"loss", total.detach()}};
  for (const NamedTensor& parameter : model.parameters())
    if (parameter.tensor.grad().defined())
      results.push_back({parameter.name, parameter.tensor.grad().contiguous()});
  return results;
}

}  // namespace

int model_run(const ModelRunArguments& arguments) {
  const ModelSession opened = open_model(arguments.model);
  Model& model = *opened.model;
  checkpoint::FileSystem& files = checkpoint::real_file_system();
  if (!arguments.weights.empty())
    model.load_state(checkpoint::load_weights(files, arguments.weights).tensors);
  const at::ScalarType dtype = arguments.dtype == "float64" ? at::kDouble : at::kFloat;
  model.to(dtype);
  const ClipBatch input = read_input(arguments.input, dtype);
  std::vector<NamedTensor> results;
  if (arguments.train_loss) {
    const auto context = plugin::MakeContext{};
    const auto loss = opened.session.registry->make<Loss>("cross_entropy", Value::table(), context);
    results = run_train(model, input, *loss, *arguments.train_loss);
  } else {
    results = run_eval(model, input);
  }
  write_tensors(arguments.output, results);
  note(fmt::format("{} tensors in {}", results.size(), arguments.output));
  return 0;
}

}  // namespace kinema::app
