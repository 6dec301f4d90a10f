#pragma once

#include <string>
#include <vector>

#include "framework/checkpoint/weights.h"
#include "framework/weights/inflate.h"
#include "kinema/model.h"

namespace kinema::weights {

struct FitOptions {
  // False: what is missing or of another shape stays as the model has it, what is unexpected is ignored. A
  // file of which nothing fits is refused all the same.
  bool strict = true;
  Inflation inflation = Inflation::mean;
};

// Weights made ready for one model.
struct Fit {
  std::vector<NamedTensor> state;  // every tensor of the model, its tables as they are: load_state() takes it
  std::vector<std::string> notes;  // what was not taken as it stood in the file, for the user
};

// Reads weights of any project that the model has a key map for. Kernels of image networks are inflated;
// numbers of another type and shapes that differ in sides of 1 are converted; a head for another number of
// classes stays as the model drew it; a counter of batches may be absent: all of that is noted. Throws
// Error(data) with the missing, unexpected and misshapen tensors, each with the nearest name.
Fit fit(const Model& model, checkpoint::Weights weights, const FitOptions& options = {});

// fit() and load_state(); returns the notes.
std::vector<std::string> load(Model& model, checkpoint::Weights weights, const FitOptions& options = {});

}  // namespace kinema::weights
