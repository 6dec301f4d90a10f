#pragma once

#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <stdexcept>
#include <string>

#include "kinema/model.h"
#include "tests/support/reference.h"

// Names of other programs' tensors, read through a model's key map.
namespace kinema::test {

inline KeyMap key_map(Model& model, const std::string& name) {
  const auto* maps = dynamic_cast<HasKeyMaps*>(&model);
  if (maps)
    for (const KeyMap& map : maps->checkpoint_key_maps())
      if (map.name == name) return map;
  throw std::runtime_error("no key map " + name);
}

inline std::string renamed(std::string key, const KeyMap& map) {
  for (const auto& [pattern, replacement] : map.rewrites)
    key = std::regex_replace(key, std::regex(pattern), replacement);
  return key;
}

// Every name of the file becomes one of the model's, and no name of the model is left over.
inline void expect_same_names(Model& model, const KeyMap& map, const nlohmann::json& file) {
  std::multiset<std::string> theirs, own;
  for (const nlohmann::json& entry : file["state_dict"]) theirs.insert(renamed(entry[0], map));
  for (const NamedTensor& named : model.state()) own.insert(named.name);
  EXPECT_EQ(theirs, own);
}

// The weights of a case under the model's names. Dimensions of size 1 that the other program has more are
// dropped.
inline std::vector<NamedTensor> renamed_state(Model& model, const KeyMap& map, const nlohmann::json& file,
                                              const nlohmann::json& one_case) {
  std::vector<NamedTensor> state = reference_state(file, one_case);
  std::map<std::string, at::Tensor> own;
  for (const NamedTensor& named : model.state()) own[named.name] = named.tensor;
  for (NamedTensor& named : state) {
    named.name = renamed(named.name, map);
    const at::Tensor& target = own.at(named.name);
    if (named.tensor.squeeze().sizes() == target.squeeze().sizes())
      named.tensor = named.tensor.view(target.sizes());
  }
  return state;
}

}  // namespace kinema::test
