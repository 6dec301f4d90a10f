#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "kinema/error.h"
#include "kinema/module.h"

namespace kinema::weights {

// What does not fit between a model and a file.
struct Mismatch {
  struct Shape {
    std::string name;
    std::vector<std::int64_t> expected, got;
  };
  std::vector<NamedTensor> missing;     // the model's tensors that the file has not
  std::vector<NamedTensor> unexpected;  // the file's tensors that the model has not
  std::vector<Shape> misshapen;

  bool empty() const { return missing.empty() && unexpected.empty() && misshapen.empty(); }
};

// One problem for each of the first tensors of a kind, one for the rest of them; a missing tensor comes with
// the unexpected one whose name is nearest.
std::vector<Problem> problems_of(const Mismatch& mismatch, const std::string& where);

// The same as notes, one a kind, for a reading that takes what fits.
std::vector<std::string> notes_of(const Mismatch& mismatch);

}  // namespace kinema::weights
