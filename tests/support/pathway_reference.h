#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>

#include "tests/support/plugin_under_test.h"
#include "tests/support/reference_model.h"

// The residual networks of PySlowFast, as plugins and as files of reference numbers.
namespace kinema::test {

// A plugin with one model of its own name.
class ModelPlugin {
 public:
  explicit ModelPlugin(const std::string& name) : name_(name), components_(plugin_under_test(name)) {}

  Value preset(const std::string& name) {
    for (const Preset& p : presets())
      if (p.name == name) return p.options;
    ADD_FAILURE() << "no preset " << name;
    return Value::table();
  }
  const std::vector<Preset>& presets() { return components_->find("model", name_)->presets; }
  std::shared_ptr<Model> make(const Value& options, std::int64_t classes) {
    components_->class_count = classes;
    return components_->make<Model>(name_, options);
  }
  std::string problems(const Value& options) { return components_->problems("model", name_, options); }

 private:
  std::string name_;
  std::unique_ptr<ComponentsUnderTest> components_;
};

// One preset beside its file.
struct PathwayReference {
  ModelPlugin& plugin;
  std::string preset;
  nlohmann::json file;

  PathwayReference(ModelPlugin& from, std::string name, const std::string& file_name)
      : plugin(from), preset(std::move(name)), file(golden("models/pyslowfast_" + file_name + ".json")) {}

  // The model for clips of one case: as many classes, and trained at the case's size.
  std::shared_ptr<Model> model(const nlohmann::json& one_case = nlohmann::json::object()) {
    Value options = plugin.preset(preset);
    if (one_case.contains("config_override"))
      options.set("crop", one_case["config_override"]["DATA__TRAIN_CROP_SIZE"].get<std::int64_t>());
    options.set("dropout", 0.0);
    return plugin.make(options, file["config"]["num_classes"]);
  }
  const nlohmann::json& one_case(const std::string& id) const {
    for (const nlohmann::json& c : file["cases"])
      if (c["id"] == id) return c;
    throw std::runtime_error("no case " + id);
  }

  void expect_state() { expect_same_state(*model(), file); }
  void expect_logits(const std::string& id) { expect_same_logits(*model(one_case(id)), file, one_case(id)); }
  void expect_training(const std::string& id) {
    expect_same_training(*model(one_case(id)), file, one_case(id));
  }
};

// A clip of formula values.
inline ClipBatch formula_clip(at::IntArrayRef shape, const std::string& modality = "rgb") {
  ClipBatch batch;
  batch.clips[modality] = reference_input("input", shape);
  return batch;
}

// Forward and backward; every parameter must get a finite gradient that is not all zero, but those that
// `may_be_zero` names by their ending.
inline void expect_all_gradients(Model& model, const ClipBatch& batch,
                                 const std::set<std::string>& may_be_zero = {}) {
  const at::Tensor logits = model.forward(batch).logits;
  logits.select(1, 3).sum().sub(logits.logsumexp(1).sum()).backward();
  for (const NamedTensor& named : model.parameters()) {
    const at::Tensor gradient = named.tensor.grad();
    ASSERT_TRUE(gradient.defined()) << named.name;
    const double size = gradient.abs().sum().item<double>();
    EXPECT_TRUE(std::isfinite(size)) << named.name;
    const bool excused = std::any_of(may_be_zero.begin(), may_be_zero.end(),
                                     [&](const std::string& end) { return named.name.ends_with(end); });
    EXPECT_TRUE(excused || size > 0) << named.name;
  }
}

}  // namespace kinema::test
