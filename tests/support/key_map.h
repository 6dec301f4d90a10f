#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <gtest/gtest.h>

#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinema/model.h"

// Key maps of models, applied to the names of other programs.
namespace kinema::test {

inline KeyMap key_map_of(Model& model, const std::string& name) {
  for (const KeyMap& map : dynamic_cast<HasKeyMaps&>(model).checkpoint_key_maps())
    if (map.name == name) return map;
  throw std::runtime_error("no key map " + name);
}

inline std::string translate(std::string key, const KeyMap& map) {
  for (const auto& [pattern, replacement] : map.rewrites)
    key = std::regex_replace(key, std::regex(pattern), replacement);
  return key;
}

// The state under the model's names, with the map's constants where the other program has no tensor.
inline std::vector<NamedTensor> translate(std::vector<NamedTensor> state, const KeyMap& map,
                                          const Module& model) {
  std::set<std::string> have;
  for (NamedTensor& named : state) have.insert(named.name = translate(named.name, map));
  for (const NamedTensor& own : model.state())
    for (const auto& [pattern, value] : map.constants)
      if (!have.contains(own.name) && std::regex_search(own.name, std::regex(pattern)))
        state.push_back({own.name, at::full_like(own.tensor, value)});
  return state;
}

// The other program's names (each once) become exactly the model's, but those that the map fills with
// constants; and nothing of what the other program has is filled.
inline void expect_complete(Model& model, const KeyMap& map, const std::vector<std::string>& keys) {
  std::set<std::string> renamed, own;
  for (const std::string& key : keys)
    EXPECT_TRUE(renamed.insert(translate(key, map)).second) << "twice: " << key;
  for (const NamedTensor& named : model.state()) {
    bool constant = false;
    for (const auto& [pattern, value] : map.constants)
      constant = constant || std::regex_search(named.name, std::regex(pattern));
    if (!constant) own.insert(named.name);
  }
  EXPECT_EQ(renamed, own);
}

}  // namespace kinema::test
