#pragma once

#include <string>
#include <vector>

#include "framework/checkpoint/file_system.h"
#include "kinema/module.h"

namespace kinema::checkpoint {

struct PythonWeights {
  std::vector<NamedTensor>
      tensors;            // in the order of the file; on the CPU; tensors that share a storage share it
  std::string container;  // "model_state", "state_dict", "model/state_dict"; "" when bare
  std::string prefix;     // what was cut off every name: "module.", "model.", "module.model." or ""
  std::vector<std::string> skipped;  // entries of the same dict that hold no tensor: numbers, strings, None
};

// Reads the tensors of a state dict that torch.save wrote, without Python and without running what the file
// says. The dict is the saved object or lies in it under model_state, state_dict, model_state_dict or model.
// Names lose the prefixes module. (of parallel wrappers) and model. (of re-hosted copies) when all have them.
// dtypes are kept. Of the storages only those of these tensors are read: memory is at most the file's size
// and 128 MiB. Throws Error(data) with every entry that cannot be a weight, and for anything damaged or
// hostile.
PythonWeights read_python_weights(FileSystem& system, const std::string& path);

}  // namespace kinema::checkpoint
