#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinema/model.h"

namespace kinema::infer {

struct LayerSummary {
  std::string path, type;
  std::vector<std::int64_t> output;  // shape
  std::int64_t output_bytes = 0;
  std::int64_t parameters = 0;     // its own; 0 where a layer runs again
  std::int64_t multiply_adds = 0;  // of its convolutions and matrix products, for the whole batch
};

// Layers, and modules around them that hold parameters or multiply themselves (attention), in the order they
// ran.
struct ModelSummary {
  std::int64_t parameters = 0;
  std::int64_t multiply_adds = 0;
  std::int64_t output_bytes = 0;  // of all rows: the activations
  std::vector<LayerSummary> layers;
};

// Runs the model once in eval mode and watches its layers. A multiply-add counts as one.
ModelSummary summarise(Model& model, const ClipBatch& input);

// One clip of every modality that a model may ask for, zeros, with one box around all of it.
ClipBatch blank_input(std::int64_t frames, std::int64_t height, std::int64_t width);

std::int64_t parameter_count(const Module& module);

}  // namespace kinema::infer
