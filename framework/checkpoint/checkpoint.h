#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "framework/checkpoint/file_system.h"
#include "framework/checkpoint/manifest.h"
#include "kinema/module.h"
#include "kinema/value.h"

namespace kinema::checkpoint {

inline constexpr const char* kModelFile = "model.safetensors";
inline constexpr const char* kStateFile = "state.safetensors";
inline constexpr const char* kValuesFile = "state.json";

// What a checkpoint is made of. Tensors are read during the call: nobody may change them meanwhile.
struct CheckpointContents {
  std::vector<NamedTensor> model;               // parameters and buffers
  std::map<std::string, std::string> metadata;  // of model.safetensors: class names, preprocessing
  std::vector<NamedTensor> state;               // optimizer, averages, generators
  Value values = Value::table();                // state.json: counters, metric history, callbacks
  std::int64_t step = 0;
  std::int64_t epoch = 0;
  std::map<std::string, std::string> plugins;  // name: version
  std::string config_hash;
};

struct Checkpoint {
  std::string path;
  Manifest manifest;
  std::vector<NamedTensor> model;
  std::map<std::string, std::string> metadata;
  std::vector<NamedTensor> state;
  Value values;
};

// Writes a complete, flushed folder at `folder`, which must not exist. Not atomic: see CheckpointStore.
Manifest write_checkpoint(FileSystem& system, const std::string& folder, const CheckpointContents& contents,
                          std::int64_t serial);

// Loads one folder (or a link to one) after verifying every file. Error(data) names the damaged files.
Checkpoint load_checkpoint(FileSystem& system, const std::string& folder);

struct Skipped {
  std::string path;
  std::string reason;  // all its problems, one a line
};

struct Newest {
  std::optional<std::string> path;  // empty: there is no checkpoint at all
  Manifest manifest;
  std::vector<Skipped> skipped;  // newer ones that are damaged or not finite: tell the user
};

// The checkpoint of `folder` saved last among those that verify and are finite; a folder that does not exist
// has none. Throws Error(data) with every reason when there are checkpoints but none is usable, and
// Error(usage) when one has a newer format: falling back would throw away good work.
Newest find_newest(FileSystem& system, const std::string& folder);

// "step-00000120".
std::string step_name(std::int64_t step);

}  // namespace kinema::checkpoint
