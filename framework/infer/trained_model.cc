#include "framework/infer/trained_model.h"

#include "framework/checkpoint/value_json.h"
#include "kinema/error.h"

namespace kinema::infer {
namespace {

Value described(const checkpoint::Weights& weights, const char* key) {
  const auto found = weights.metadata.find(key);
  if (found == weights.metadata.end())
    throw Error(ErrorKind::data, weights.source,
                std::string("does not say what it is: expected the metadata entry ") + key + ", got none",
                "use a checkpoint that kinema wrote, or name an experiment file");
  return checkpoint::value_from_json(found->second, weights.source);
}

}  // namespace

std::map<std::string, std::string> self_description(const Value& experiment,
                                                    const std::vector<std::string>& classes) {
  Value::Array names;
  for (const std::string& name : classes) names.emplace_back(name);
  return {{kClassesKey, checkpoint::value_to_json(Value(std::move(names)))},
          {kExperimentKey, checkpoint::value_to_json(experiment)}};
}

StoredModel read_stored_model(const std::string& path) {
  StoredModel stored;
  stored.weights = checkpoint::load_weights(checkpoint::real_file_system(), path);
  stored.experiment = described(stored.weights, kExperimentKey);
  for (const Value& name : described(stored.weights, kClassesKey).as_array())
    stored.classes.push_back(name.as_string());
  return stored;
}

std::shared_ptr<Model> load_model(const StoredModel& stored, const eval::Workshop& workshop,
                                  const at::Device& device) {
  auto model = workshop.make<Model>(workshop.experiment.model, "model");
  model->load_state(stored.weights.tensors);
  model->to(device);
  model->train(false);
  return model;
}

}  // namespace kinema::infer
