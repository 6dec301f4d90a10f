#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "framework/checkpoint/file_io.h"
#include "framework/checkpoint/safetensors_header.h"
#include "kinema/module.h"

namespace kinema::checkpoint {

struct Safetensors {
  std::vector<NamedTensor> tensors;
  std::map<std::string, std::string> metadata;
};

// Writes a new file and flushes it; tensors of any device and layout, copied to the CPU one at a time. The
// data is ordered by item size, largest first, then by name, so that every tensor is aligned. The caller
// writes under a temporary name and renames. Throws Error(data) for an undefined tensor, a dtype the format
// lacks or a name given twice; Error(run) when the file cannot be written.
FileFacts write_safetensors(FileSystem& system, const std::string& path,
                            const std::vector<NamedTensor>& tensors,
                            const std::map<std::string, std::string>& metadata = {});

// Reads every tensor, contiguous, on the CPU, owning its memory, in the order of the data. The file is
// treated as hostile: each fault is its own Error(data). Memory: the file's size and at most 64 MiB.
Safetensors read_safetensors(FileSystem& system, const std::string& path);

// Names, dtypes, shapes and metadata alone.
SafetensorsHeader read_safetensors_header(FileSystem& system, const std::string& path);

}  // namespace kinema::checkpoint
