#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kinema/loss.h"
#include "kinema/model.h"

// A model run on tensors from a file: for comparison with other programs.
namespace kinema::infer {

struct TensorRun {
  std::string weights;        // a checkpoint, .safetensors or .pth; empty: as the model is
  std::string input, output;  // safetensors: rgb, flow, boxes in; logits out
  bool float64 = false;
};

struct TensorRunResult {
  std::size_t tensors = 0;         // written
  std::vector<std::string> notes;  // of the weights: what was not taken as it stood, see weights/fit.h
};

// Writes the logits in eval mode.
TensorRunResult run_on_tensors(Model& model, const TensorRun& run);
// In train mode: also the loss of every sample's being of class `label`, and the gradient of each parameter
// under its name.
TensorRunResult run_on_tensors(Model& model, Loss& loss, std::int64_t label, const TensorRun& run);

}  // namespace kinema::infer
