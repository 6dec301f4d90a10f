#pragma once

#include <vector>

#include "framework/config/experiment.h"
#include "kinema/loss.h"
#include "kinema/model.h"
#include "kinema/optimizer.h"

namespace kinema::train {

// The trainable parameters of the model, then those of the loss (null: none) as "loss.<name>", grouped by
// learning rate scale and weight decay, in the order of first appearance. `decay_norm_and_bias = false` takes
// weight decay from one-dimensional parameters: norm gains and biases. The model's own rules (HasParamRules)
// and the last [[optimizer.group]] that finds the parameter multiply both. Throws Error(usage) when a group
// finds none.
std::vector<ParamGroup> make_param_groups(const Model& model, const Loss* loss,
                                          const config::OptimizerSection& section);

}  // namespace kinema::train
