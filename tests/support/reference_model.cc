#include "tests/support/reference_model.h"

#include <ATen/ops/binary_cross_entropy_with_logits.h>
#include <ATen/ops/cross_entropy_loss.h>
#include <ATen/ops/full.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros_like.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/support/difference_log.h"
#include "tests/support/key_map.h"

namespace kinema::test {
namespace {

using Json = nlohmann::json;

void load(Model& model, const Json& file, const Json& one_case, at::ScalarType dtype,
          const KeyMap* names = nullptr) {
  const auto override_classes = [&](const std::string&, std::vector<std::int64_t>& shape) {
    const Json overrides = one_case.value("config_override", Json::object());
    if (overrides.contains("num_classes") && !shape.empty() && shape[0] == file["config"]["num_classes"])
      shape[0] = overrides["num_classes"];
  };
  model.to(at::kFloat);
  const std::vector<NamedTensor> state = reference_state(file, one_case, override_classes);
  model.load_state(names ? translate(state, *names, model) : state);
  model.to(dtype);
}

ClipBatch batch_of(const Json& one_case, at::ScalarType dtype) {
  const auto shape = one_case["input_shape"].get<std::vector<std::int64_t>>();
  ClipBatch batch;
  batch.clips[shape[1] == 2 ? "flow" : "rgb"] =
      reference_input(one_case["input_key"], shape).to(dtype).contiguous(at::MemoryFormat::ChannelsLast3d);
  if (one_case.contains("boxes")) {
    std::vector<double> flat;
    for (const Json& box : one_case["boxes"])
      for (const Json& value : box) flat.push_back(value);
    batch.boxes = at::tensor(flat, at::kFloat).view({-1, 5});
  }
  return batch;
}

at::Tensor doubles(const Json& list) { return at::tensor(list.get<std::vector<double>>(), at::kDouble); }

double distance(const at::Tensor& a, const at::Tensor& b) {
  return a.to(at::kDouble).flatten().sub(b).abs().max().item<double>();
}

// Mean cross entropy with one label for all; with boxes, two classes of each are present.
at::Tensor train_loss(const at::Tensor& logits, const Json& one_case) {
  if (one_case.contains("boxes")) {
    at::Tensor present = at::zeros_like(logits);
    present.select(1, 3).fill_(1);
    present.select(1, 10).fill_(1);
    return at::binary_cross_entropy_with_logits(logits, present);
  }
  const std::int64_t label = one_case["train"]["label"];
  return at::cross_entropy_loss(logits, at::full({logits.size(0)}, label, at::kLong));
}

// Activation of each position, then their mean.
void expect_probabilities(const Output& output, const Json& one_case) {
  if (!one_case.contains("eval_output_default_activation")) return;
  ASSERT_TRUE(output.extra.contains("probabilities"));
  const at::Tensor& probabilities = output.extra.at("probabilities");
  ASSERT_EQ(probabilities.sizes(), output.logits.sizes());
  const at::Tensor expected = doubles(one_case["eval_output_default_activation"]);
  EXPECT_LT(distance(probabilities, expected), 1e-4 * expected.max().item<double>());
}

// The largest difference, of the gradient's norm.
double expect_gradient(const Json& expected, const at::Tensor& gradient) {
  EXPECT_TRUE(gradient.defined());
  if (!gradient.defined()) return 1;
  const double l2 = expected["l2"], sum = expected["sum"];
  if (l2 < 1e-9) {
    EXPECT_LT(gradient.norm().item<double>(), 1e-9);
    return 0;
  }
  const double elements = static_cast<double>(gradient.numel());
  EXPECT_NEAR(gradient.norm().item<double>(), l2, 1e-6 * l2);
  EXPECT_NEAR(gradient.sum().item<double>(), sum, 1e-6 * l2 * std::sqrt(elements));
  const at::Tensor first = doubles(expected["first5"]);
  const double of_values = distance(gradient.flatten().slice(0, 0, first.numel()), first);
  EXPECT_LT(of_values, 1e-6 * l2);
  return std::max(of_values, std::abs(gradient.norm().item<double>() - l2)) / l2;
}

void note(const Json& file, const Json& one_case, const char* what, double value) {
  if (file.contains("name")) note_difference(file["name"], one_case["id"], what, value);
}

}  // namespace

void expect_same_state(Model& model, const Json& file) {
  const std::vector<NamedTensor> state = model.state();
  ASSERT_EQ(state.size(), file["num_state_entries"].get<std::size_t>());
  for (std::size_t i = 0; i < state.size(); ++i) {
    const Json& entry = file["state_dict"][i];
    EXPECT_EQ(state[i].name, entry[0].get<std::string>());
    EXPECT_EQ(state[i].tensor.sizes().vec(), entry[1].get<std::vector<std::int64_t>>()) << state[i].name;
    EXPECT_EQ(state[i].tensor.scalar_type(), entry[2] == "int64" ? at::kLong : at::kFloat) << state[i].name;
  }
  std::int64_t parameters = 0;
  for (const NamedTensor& named : model.parameters()) parameters += named.tensor.numel();
  EXPECT_EQ(parameters, file["num_parameters"].get<std::int64_t>());
}

void expect_same_logits(Model& model, const Json& file, const Json& one_case, const LogitsRule& rule) {
  SCOPED_TRACE("case " + one_case["id"].get<std::string>());
  const at::NoGradGuard no_grad;
  model.train(false);
  const auto run = [&](at::ScalarType dtype) {
    load(model, file, one_case, dtype, rule.names);
    return model.forward(batch_of(one_case, dtype));
  };
  const auto logits_of = [&](const Output& output) {
    return rule.extra.empty() ? output.logits : output.extra.at(rule.extra);
  };
  const Output output = run(at::kFloat);
  expect_probabilities(output, one_case);
  const at::Tensor logits = logits_of(output);
  EXPECT_EQ(logits.sizes().vec(), one_case["eval_logits_shape"].get<std::vector<std::int64_t>>());
  const double std = one_case["eval_logits_std"];
  const double difference = distance(logits, doubles(one_case["eval_logits"])) / std;
  EXPECT_LT(difference, 1e-4);
  note(file, one_case, "logits", difference);
  if (!one_case.contains("eval_logits_f64")) return;
  EXPECT_LT(distance(logits_of(run(at::kDouble)), doubles(one_case["eval_logits_f64"])), 1e-10 * std);
}

void expect_same_training(Model& model, const Json& file, const Json& one_case) {
  SCOPED_TRACE("case " + one_case["id"].get<std::string>());
  const Json& train = one_case["train"];
  const Json& expected = train["f64"];
  model.train();
  load(model, file, one_case, at::kDouble);
  const at::Tensor logits = model.forward(batch_of(one_case, at::kDouble)).logits;
  const at::Tensor loss = train_loss(logits, one_case);
  EXPECT_NEAR(loss.item<double>(), expected["loss"].get<double>(), 1e-9);
  // Those of a case before.
  for (const NamedTensor& named : model.parameters()) named.tensor.mutable_grad().reset();
  loss.backward();
  std::map<std::string, at::Tensor> tensors;
  for (const NamedTensor& named : model.state()) tensors[named.name] = named.tensor;
  double largest = 0;
  for (const Json& gradient : expected["grads"]) {
    SCOPED_TRACE(gradient["key"].get<std::string>());
    largest = std::max(largest, expect_gradient(gradient, tensors[gradient["key"]].grad()));
  }
  note(file, one_case, "gradients", largest);
  for (const Json& norm : expected["bn_after"]) {
    const std::string module = norm["module"];
    SCOPED_TRACE(module);
    const auto close = [&](const char* name) {
      const at::Tensor first = doubles(norm[std::string(name) + "_first5"]);
      EXPECT_LT(distance(tensors[module + "." + name].slice(0, 0, first.numel()), first), 1e-10) << name;
    };
    close("running_mean");
    close("running_var");
    EXPECT_EQ(tensors[module + ".num_batches_tracked"].item<std::int64_t>(), norm["num_batches_tracked"]);
  }
}

}  // namespace kinema::test
