#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "kinema/model.h"

namespace kinema::infer {

struct LayerSummary {
  std::string path, type;
  std::vector<std::int64_t> output;  // shape
  std::int64_t parameters = 0;       // its own
  std::int64_t multiply_adds = 0;    // of convolutions and matrix products, for the whole batch
};

struct ModelSummary {
  std::int64_t parameters = 0;
  std::int64_t multiply_adds = 0;
  std::vector<LayerSummary> layers;  // in the order they ran
};

// Runs the model once in eval mode and watches its layers. A multiply-add counts as one.
ModelSummary summarise(Model& model, const ClipBatch& input);
// On one rgb clip of this size.
ModelSummary summarise(Model& model, std::int64_t frames, std::int64_t height, std::int64_t width);

std::int64_t parameter_count(const Module& module);

}  // namespace kinema::infer
