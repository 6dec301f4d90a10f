#include "tests/support/reference.h"

#include <gtest/gtest.h>

namespace kinema::test {
namespace {

float at_index(const at::Tensor& tensor, std::int64_t index) { return tensor.data_ptr<float>()[index]; }

TEST(reference, hashes_keys_as_fnv_1a) {
  EXPECT_EQ(formula_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(formula_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(formula_hash("conv1.weight"), 0x69a29a2cee47d254u);
  EXPECT_EQ(formula_unit(formula_hash("conv1.weight"), 0), 0.5450749397277832);
}

TEST(reference, makes_the_worked_inputs) {
  const at::Tensor input = reference_input("input", {4});
  const float expected[] = {-0.80436337f, -0.70504284f, 0.1481688f, 0.70545554f};
  for (int i = 0; i < 4; ++i) EXPECT_EQ(at_index(input, i), expected[i]);
}

TEST(reference, makes_the_worked_weights) {
  const at::Tensor stem = reference_weight("stem.0.weight", {64, 3, 3, 7, 7}, "weight");
  EXPECT_EQ(at_index(stem, 0), 0.04786842f);
  EXPECT_EQ(at_index(stem, 1), -0.040566035f);
  EXPECT_EQ(at_index(stem, 2), 0.05399753f);
  EXPECT_EQ(at_index(stem, 1000), -0.046538524f);
  const at::Tensor norm = reference_weight("stem.1.weight", {64}, "norm_weight");
  EXPECT_EQ(at_index(norm, 0), 1.398232f);
  EXPECT_EQ(at_index(norm, 1), 1.0417123f);
  EXPECT_EQ(at_index(norm, 2), 1.2435975f);
  EXPECT_EQ(at_index(reference_weight("stem.1.running_mean", {64}, "running_mean"), 63), 0.017125856f);
  EXPECT_EQ(at_index(reference_weight("fc.bias", {400}, "bias"), 5), 0.07139218f);
}

TEST(reference, puts_the_salt_before_the_key) {
  EXPECT_TRUE(reference_weight("b", {3}, "bias", "a:").equal(reference_weight("a:b", {3}, "bias")));
}

}  // namespace
}  // namespace kinema::test
