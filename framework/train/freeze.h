#pragma once

#include <string>
#include <vector>

#include "framework/config/experiment.h"
#include "kinema/model.h"

// Fine-tuning: which parameters learn, and which batch norms keep the statistics that they came with.
namespace kinema::train {

// The parameters in whose names the regular expression is found; throws Error(usage) at `where` when there
// are none.
std::vector<NamedTensor> parameters_found(const std::string& expression, const Model& model,
                                          const std::string& where);

// Takes the parameters of [model] freeze from learning: their requires_grad becomes false. Returns what was
// frozen as one line, empty when nothing was. Throws Error(usage) when an expression finds nothing, or all of
// them everything.
std::string freeze_parameters(Model& model, const config::WeightsOptions& options);

// Puts batch norms into eval mode, inside a model in train mode: those without a parameter that learns, or
// `all`.
void hold_norms(Model& model, bool all);

}  // namespace kinema::train
