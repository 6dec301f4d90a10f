#pragma once

#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "kinema/loss.h"
#include "kinema/value.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"

// The golden file of losses: its logits and targets, and comparison in value and gradient.
namespace kinema::test {

using Json = nlohmann::json;

inline Value reals(const Json& list) {
  Value::Array array;
  for (const Json& v : list) array.emplace_back(v.get<double>());
  return Value(std::move(array));
}

struct Result {
  double value;
  std::vector<double> gradient;
};

// The golden files' logits [4, 6].
inline at::Tensor logits(at::ScalarType dtype) {
  return at::tensor(formula_values("m.logits", 24, 3)).reshape({4, 6}).to(dtype).requires_grad_(true);
}

inline at::Tensor weights(std::vector<double> values) { return at::tensor(values, at::kFloat); }

inline Result run(Loss& loss, const at::Tensor& logits, const TargetBatch& target) {
  const at::Tensor total = loss({logits, {}}, target).total;
  EXPECT_EQ(total.dim(), 0);
  total.backward();
  const at::Tensor gradient = logits.grad().to(at::kDouble).reshape({-1}).contiguous();
  return {total.item().toDouble(),
          {gradient.const_data_ptr<double>(), gradient.const_data_ptr<double>() + gradient.numel()}};
}

inline void expect_golden(const Json& expected, const Result& got, double tolerance,
                          const std::string& what) {
  EXPECT_NEAR(got.value, expected["value"][0].get<double>(), tolerance) << what;
  ASSERT_EQ(got.gradient.size(), expected["grad"].size());
  for (std::size_t i = 0; i < got.gradient.size(); ++i)
    EXPECT_NEAR(got.gradient[i], expected["grad"][i].get<double>(), tolerance) << what << " [" << i << "]";
}

inline TargetBatch golden_target(const Json& c) {
  TargetBatch target;
  if (c.contains("target"))
    target.values = at::tensor(c["target"].get<std::vector<float>>()).reshape({4, 6});
  else
    target.labels = at::tensor(c["labels"].get<std::vector<std::int64_t>>());
  return target;
}

}  // namespace kinema::test
