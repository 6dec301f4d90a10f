#pragma once

#include <string>

#include "tests/support/pathway_reference.h"

// The residual networks under PyTorchVideo's names, as plugins and as files of reference numbers.
namespace kinema::test {

// A network with one narrow block a stage.
inline Value tiny_pytorchvideo(std::initializer_list<std::pair<const char*, Value>> more = {}) {
  Value options = Value::table({{"blocks", Value(Value::Array{1, 1, 1, 1})},
                                {"width", 4},
                                {"zero_init_last_norm", false},
                                {"dropout", 0.0}});
  for (const auto& [key, value] : more) options.set(key, value);
  return options;
}

// One preset beside its file.
struct PytorchvideoReference {
  ModelPlugin& plugin;
  std::string name;
  nlohmann::json file;

  PytorchvideoReference(ModelPlugin& from, const std::string& preset)
      : plugin(from), name(preset), file(golden("models/pytorchvideo_" + preset + ".json")) {}

  std::shared_ptr<Model> model() {
    Value options = plugin.preset(name);
    options.set("dropout", 0.0);
    return plugin.make(options, file["config"]["num_classes"]);
  }
  void expect_state() { expect_same_state(*model(), file); }
};

}  // namespace kinema::test
