#pragma once

#include <string>
#include <vector>

#include "framework/checkpoint/file_io.h"
#include "kinema/module.h"

namespace kinema::checkpoint {

// Writes a state dict as Python's torch.save does, a .pth file for torch.load(path, weights_only=True): an
// OrderedDict of tensors on the CPU, in the given order. Tensors that share a storage share it in the file as
// well, unless they use less than half of it: then each is copied. Device tensors are copied to the CPU one
// storage at a time. Writes a new file and flushes it; the caller writes under a temporary name and renames.
// Throws Error(data) with every tensor that is undefined, not dense, of a dtype Python's weights cannot have,
// or named twice or not in UTF-8; Error(run) when the file cannot be written.
FileFacts save_python_weights(FileSystem& system, const std::string& path,
                              const std::vector<NamedTensor>& tensors);

}  // namespace kinema::checkpoint
