#pragma once

#include <string>
#include <vector>

#include "framework/checkpoint/pickle_value.h"
#include "kinema/module.h"

namespace kinema::checkpoint {

struct StateDict {
  const PickleValue* value = nullptr;  // a dict with at least one tensor
  std::string container;  // the keys that lead to it, "model/state_dict"; "" for the object itself
};

// The dict of weights in what torch.save saved. Throws Error(data) saying what the file holds instead.
StateDict find_state_dict(const PickleValue& saved, const std::string& where);

// Cuts "module." and then "model." off the names when all of them have it; returns what was cut.
std::string cut_prefixes(std::vector<NamedTensor>& tensors);

}  // namespace kinema::checkpoint
