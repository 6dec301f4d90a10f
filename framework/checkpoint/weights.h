#pragma once

#include <map>
#include <string>
#include <vector>

#include "framework/checkpoint/file_system.h"
#include "kinema/module.h"

namespace kinema::checkpoint {

struct Weights {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;  // class names, preprocessing, ...; may be empty
  std::string source;                           // the file that was read
};

// The model's weights from what a user may name: a checkpoint folder or a link to one (its files are verified
// first), a folder with model.safetensors or a sharded model.safetensors.index.json, a folder of checkpoints
// (its newest), a .safetensors file, or a .pth file of Python (see python_weights.h). Throws Error(data) for
// anything else and for damage.
Weights load_weights(FileSystem& system, const std::string& path);

enum class WeightsFormat { safetensors, python };
// By the ending of a name: .safetensors; .pth, .pt or .pyth. Throws Error(usage) for another one.
WeightsFormat weights_format(const std::string& path);

// Writes a file, whole or not at all, whatever its name. The format of Python's torch.save has no place for
// metadata. Throws Error(data) for tensors that the format cannot hold, Error(run) when it cannot be written.
void save_weights(const std::string& path, WeightsFormat format, const std::vector<NamedTensor>& tensors,
                  const std::map<std::string, std::string>& metadata = {});

}  // namespace kinema::checkpoint
