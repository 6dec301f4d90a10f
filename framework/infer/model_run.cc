#include "framework/infer/model_run.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <fmt/format.h>

#include "framework/checkpoint/safetensors.h"
#include "framework/checkpoint/weights.h"
#include "framework/weights/fit.h"
#include "kinema/error.h"

namespace kinema::infer {
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
    throw Error(ErrorKind::usage, "--train-loss",
                fmt::format("no such label: expected one below {}, got {}", output.logits.size(1), label));
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

struct Prepared {
  ClipBatch input;
  std::vector<std::string> notes;  // of the weights
};

Prepared prepare(Model& model, const TensorRun& run) {
  Prepared prepared;
  if (!run.weights.empty())
    prepared.notes =
        weights::load(model, checkpoint::load_weights(checkpoint::real_file_system(), run.weights));
  const at::ScalarType dtype = run.float64 ? at::kDouble : at::kFloat;
  model.to(dtype);
  prepared.input = read_input(run.input, dtype);
  return prepared;
}

TensorRunResult write(const std::vector<NamedTensor>& results, const TensorRun& run,
                      const Prepared& prepared) {
  checkpoint::save_weights(run.output, checkpoint::WeightsFormat::safetensors, results);
  return {results.size(), prepared.notes};
}

}  // namespace

TensorRunResult run_on_tensors(Model& model, const TensorRun& run) {
  const Prepared prepared = prepare(model, run);
  return write(run_eval(model, prepared.input), run, prepared);
}

TensorRunResult run_on_tensors(Model& model, Loss& loss, std::int64_t label, const TensorRun& run) {
  const Prepared prepared = prepare(model, run);
  return write(run_train(model, prepared.input, loss, label), run, prepared);
}

}  // namespace kinema::infer
