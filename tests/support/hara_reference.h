#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support/pathway_reference.h"

// The networks of 3D-ResNets-PyTorch, as plugins and as files of reference numbers.
namespace kinema::test {

// The file for a case with options of its own: shapes are those of the model that these options make.
inline nlohmann::json with_shapes_of(Model& model, nlohmann::json file) {
  std::map<std::string, nlohmann::json> entries;
  for (const nlohmann::json& entry : file["state_dict"]) entries[entry[0]] = entry;
  file["state_dict"] = nlohmann::json::array();
  for (const NamedTensor& named : model.state()) {
    nlohmann::json entry = entries.at(named.name);
    entry[1] = named.tensor.sizes().vec();
    file["state_dict"].push_back(entry);
  }
  return file;
}

inline std::int64_t parameters(const Model& model) {
  std::int64_t count = 0;
  for (const NamedTensor& named : model.parameters()) count += named.tensor.numel();
  return count;
}

// One preset beside its file, which has the same name.
struct HaraReference {
  ModelPlugin& plugin;
  std::string name;
  nlohmann::json file;

  HaraReference(ModelPlugin& from, const std::string& preset)
      : plugin(from), name(preset), file(golden("models/" + preset + ".json")) {}

  std::shared_ptr<Model> model(const nlohmann::json& overrides = nlohmann::json::object()) {
    Value options = plugin.preset(name);
    for (const auto& [key, value] : overrides.items()) {
      if (key == "no_max_pool") options.set("no_max_pool", value.get<bool>());
      if (key == "conv1_t_size") options.set("stem_frames", value.get<std::int64_t>());
      if (key == "shortcut_type") options.set("shortcut", value.get<std::string>());
      if (key == "n_input_channels") options.set("modality", value == 2 ? "flow" : "rgb");
    }
    return plugin.make(options,
                       overrides.value("n_classes", file["config"]["n_classes"].get<std::int64_t>()));
  }

  void expect_state() { expect_same_state(*model(), file); }
  // Logits, and gradients where the case has them.
  void expect_case(const std::string& id) {
    for (const nlohmann::json& c : file["cases"]) {
      if (c["id"] != id) continue;
      const auto network = model(c.value("config_override", nlohmann::json::object()));
      const nlohmann::json adapted = with_shapes_of(*network, file);
      expect_same_logits(*network, adapted, c);
      if (c.contains("train")) expect_same_training(*network, adapted, c);
      return;
    }
    FAIL() << "no case " << id << " of " << name;
  }
};

}  // namespace kinema::test
