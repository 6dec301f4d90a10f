#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kinema/loss.h"
#include "kinema/model.h"

// A model run on tensors from a file: for comparison with other programs.
namespace kinema::infer {

struct TensorRun {
  std::string weights;        // a checkpoint or .safetensors; empty: as the model is
  std::string input, output;  // safetensors: rgb, flow, boxes in; logits out
  bool float64 = false;
};

// Writes the logits in eval mode; the number of tensors written.
std::size_t run_on_tensors(Model& model, const TensorRun& run);
// In train mode: also the loss of every sample's being of class `label`, and the gradient of each parameter
// under its name.
std::size_t run_on_tensors(Model& model, Loss& loss, std::int64_t label, const TensorRun& run);

}  // namespace kinema::infer
