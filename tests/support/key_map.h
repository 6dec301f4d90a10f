#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/ops/full_like.h>
#include <gtest/gtest.h>

#include <map>
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

// A kernel over an image becomes one over frames that gives the same answer to a picture that stands still.
inline at::Tensor inflated(const at::Tensor& weight, const at::Tensor& like) {
  if (weight.dim() != 4 || like.dim() != 5) return weight;
  return weight.unsqueeze(2).expand(like.sizes()).div(like.size(2));
}

// The state under the model's names, image kernels inflated, with the map's constants where the other program
// has no tensor.
inline std::vector<NamedTensor> translate(const std::vector<NamedTensor>& state, const KeyMap& map,
                                          const Module& model) {
  std::map<std::string, at::Tensor> theirs;
  for (const NamedTensor& named : state) theirs[translate(named.name, map)] = named.tensor;
  for (const NamedTensor& own : model.state()) {
    if (const auto found = theirs.find(own.name); found != theirs.end()) {
      found->second = inflated(found->second, own.tensor);
      continue;
    }
    for (const auto& [pattern, value] : map.constants)
      if (std::regex_search(own.name, std::regex(pattern)))
        theirs[own.name] = at::full_like(own.tensor, value);
  }
  std::vector<NamedTensor> all;
  for (const auto& [name, tensor] : theirs) all.push_back({name, tensor});
  return all;
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
