#pragma once

#include <string>

#include "tests/support/pathway_reference.h"

// A file of reference numbers for several settings of one model: `variants`, each with `options` of the
// plugin.
namespace kinema::test {

inline Value value_of(const nlohmann::json& json) {
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_string()) return json.get<std::string>();
  if (json.is_array()) {
    Value::Array list;
    for (const nlohmann::json& item : json) list.push_back(value_of(item));
    return list;
  }
  Value table = Value::table();
  for (const auto& [key, item] : json.items()) table.set(key, value_of(item));
  return table;
}

// State dict, logits and, where a case has it, training of every variant.
inline void expect_same_variants(ModelPlugin& plugin, const std::string& path) {
  const nlohmann::json file = golden(path);
  ASSERT_FALSE(file["variants"].empty());
  for (const nlohmann::json& variant : file["variants"]) {
    SCOPED_TRACE(variant["name"].get<std::string>());
    const auto model = plugin.make(value_of(variant["options"]), variant["config"]["num_classes"]);
    expect_same_state(*model, variant);
    for (const nlohmann::json& one_case : variant["cases"]) {
      expect_same_logits(*model, variant, one_case);
      if (one_case.contains("train")) expect_same_training(*model, variant, one_case);
    }
  }
}

// What a model says of a clip that it refuses.
inline std::string run_error(Model& model, const ClipBatch& batch) {
  try {
    model.forward(batch);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

}  // namespace kinema::test
