#pragma once

#include <memory>
#include <string>
#include <vector>

#include "framework/checkpoint/weights.h"
#include "framework/config/experiment.h"
#include "framework/eval/assembly.h"
#include "framework/plugin/registry.h"
#include "kinema/model.h"

// A checkpoint is complete in itself: its model file also carries class names and the resolved experiment.
namespace kinema::infer {

inline constexpr const char* kClassesKey = "kinema.classes";        // JSON array of strings
inline constexpr const char* kExperimentKey = "kinema.experiment";  // JSON of the resolved experiment

// The labels that make it so; written into every checkpoint's metadata.
std::map<std::string, std::string> self_description(const Value& experiment,
                                                    const std::vector<std::string>& classes);

// A checkpoint as read from disk, before its model is built: plugins have to be found first.
struct StoredModel {
  checkpoint::Weights weights;
  Value experiment;  // resolved
  std::vector<std::string> classes;
};

// Reads what a user may name: a checkpoint folder, a link to one, a .safetensors file that kinema wrote.
// Throws Error(data) when the file does not describe itself.
StoredModel read_stored_model(const std::string& path);

// The model with its weights, in eval mode on the device.
std::shared_ptr<Model> load_model(const StoredModel& stored, const eval::Workshop& workshop,
                                  const at::Device& device);

}  // namespace kinema::infer
