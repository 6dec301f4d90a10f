#pragma once

#include <string>
#include <utility>
#include <vector>

#include "kinema/model.h"

namespace kinema::weights {

// Foreign weights under the model's names.
struct ReadNames {
  std::string map;  // the model's key map that was used; "" when names were taken as they are
  std::vector<NamedTensor> tensors;  // all that were given; a name that the model has not stays foreign
  std::vector<std::pair<std::string, double>> constants;  // of the map
};

// Takes the names as they are, or by the key map of the model (HasKeyMaps) that makes most of them the
// model's own; the first of equals wins. A tensor whose name a map makes empty has no place in the model and
// is left out. Throws Error(data), at `where`, when two names become one.
ReadNames read_names(const Model& model, std::vector<NamedTensor> given, const std::string& where);

}  // namespace kinema::weights
