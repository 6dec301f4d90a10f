#pragma once

#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinema/module.h"
#include "tests/support/formula.h"

// Weights and inputs of the reference files of models, from a formula of the key and the row-major index.
namespace kinema::test {

// A float32 tensor from value(u) with u in [0, 1); arithmetic in double, one rounding.
inline at::Tensor reference_tensor(const std::string& key, at::IntArrayRef shape,
                                   const std::function<double(double)>& value) {
  at::Tensor tensor = at::empty(shape);
  float* out = tensor.mutable_data_ptr<float>();
  const std::uint64_t hash = formula_hash(key);
  for (std::int64_t i = 0; i < tensor.numel(); ++i)
    out[i] = static_cast<float>(value(formula_unit(hash, static_cast<std::uint64_t>(i))));
  return tensor;
}

inline at::Tensor reference_input(const std::string& key, at::IntArrayRef shape) {
  return reference_tensor(key, shape, [](double u) { return 2 * u - 1; });
}

// The tensor of a state-dict entry of a reference; `kind` as its file names it.
inline at::Tensor reference_weight(const std::string& key, at::IntArrayRef shape, const std::string& kind,
                                   const std::string& salt = "", double gain = 1) {
  const auto centred = [](double scale) { return [scale](double u) { return (2 * u - 1) * scale; }; };
  if (kind == "weight") {
    std::int64_t fan_in = 1;
    for (std::size_t d = 1; d < shape.size(); ++d) fan_in *= shape[d];
    return reference_tensor(salt + key, shape, centred(std::sqrt(3 * gain / static_cast<double>(fan_in))));
  }
  if (kind == "bias" || kind == "norm_bias" || kind == "running_mean" || kind == "param")
    return reference_tensor(salt + key, shape, centred(0.1));
  if (kind == "norm_weight" || kind == "running_var")
    return reference_tensor(salt + key, shape, [](double u) { return 0.5 + u; });
  if (kind == "count") return at::empty(shape, at::kLong).zero_();
  throw std::runtime_error("no formula for weights of kind " + kind);
}

// All weights of a reference file's `state_dict` for one of its cases. `shape_of` may change a shape, for
// cases with another number of classes.
inline std::vector<NamedTensor> reference_state(
    const nlohmann::json& file, const nlohmann::json& one_case,
    const std::function<void(const std::string& key, std::vector<std::int64_t>& shape)>& shape_of = {}) {
  std::vector<NamedTensor> state;
  for (const nlohmann::json& entry : file["state_dict"]) {
    if (entry[3] == "keep") continue;
    const std::string key = entry[0];
    auto shape = entry[1].get<std::vector<std::int64_t>>();
    if (shape_of) shape_of(key, shape);
    state.push_back(
        {key, reference_weight(key, shape, entry[3], one_case["weight_salt"], one_case["weight_gain"])});
  }
  return state;
}

}  // namespace kinema::test
