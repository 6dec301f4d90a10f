#pragma once

#include <string>
#include <vector>

#include "kinema/loss.h"

// A loss may have parameters and buffers of its own. A checkpoint keeps them beside the optimizer's state: no
// prediction needs them.
namespace kinema::infer {

// Stands in front of their names, in the checkpoint and for the optimizer: "loss.centers".
inline constexpr const char* kLossPrefix = "loss.";

// The tensors of state.safetensors: those of the loss under their own names, and the optimizer's.
struct StateTensors {
  std::vector<NamedTensor> loss, optimizer;
};
StateTensors split_state(const std::vector<NamedTensor>& state, const Loss& loss);

// Gives a loss what it had when the model file was written. False: the loss has a state, and beside the model
// file there is none.
bool load_loss_state(const std::string& model_file, Loss& loss);

}  // namespace kinema::infer
