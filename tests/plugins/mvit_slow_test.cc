#include <ATen/core/Tensor.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include "tests/support/key_maps.h"
#include "tests/support/reference_variants.h"

namespace kinema {
namespace {

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("mvit");
  return loaded;
}

struct Reference {
  const char* preset;
  const char* torchvision;
  const char* pyslowfast;
};
class mvit_full_size : public testing::TestWithParam<Reference> {};

TEST_P(mvit_full_size, gives_the_logits_of_torchvision) {
  const nlohmann::json file =
      test::golden(std::string("models/torchvision_") + GetParam().torchvision + ".json");
  test::expect_same_logits(*plugin().make(plugin().preset(GetParam().preset), 400), file, file["cases"][0]);
}

TEST_P(mvit_full_size, gives_the_logits_of_pyslowfast_with_its_weights) {
  const nlohmann::json file =
      test::golden(std::string("models/pyslowfast_") + GetParam().pyslowfast + ".json");
  const nlohmann::json& one_case = file["cases"][0];
  const auto model = plugin().make(plugin().preset(GetParam().preset), 400);
  model->load_state(test::renamed_state(*model, test::key_map(*model, "pyslowfast"), file, one_case));
  model->train(false);
  const at::NoGradGuard no_grad;
  const at::Tensor logits =
      model->forward(test::formula_clip(one_case["input_shape"].get<std::vector<std::int64_t>>())).logits;
  const auto distance = [&](const at::Tensor& got, const char* key) {
    const auto expected = one_case[key].get<std::vector<double>>();
    return got.to(at::kDouble).flatten().sub(at::tensor(expected, at::kDouble)).abs().max().item<double>();
  };
  EXPECT_LT(distance(logits, "eval_logits"), 1e-4 * one_case["eval_logits_std"].get<double>());
  EXPECT_LT(distance(logits.softmax(1), "eval_output_default_activation"), 1e-6);
}

INSTANTIATE_TEST_SUITE_P(presets, mvit_full_size,
                         testing::Values(Reference{"mvit_v1_b_16x4", "mvit_v1_b", "mvit_b_16x4"},
                                         Reference{"mvit_v2_s_16x4", "mvit_v2_s", "mvitv2_s_16x4"}),
                         [](const auto& info) { return std::string(info.param.preset); });

TEST(mvit_sizes, mvit_v2_b_has_as_many_parameters_as_published) {
  std::int64_t count = 0;
  for (const NamedTensor& named : plugin().make(plugin().preset("mvit_v2_b_32x3"), 400)->parameters())
    count += named.tensor.numel();
  EXPECT_NEAR(static_cast<double>(count), 51.2e6, 0.05e6);
}

}  // namespace
}  // namespace kinema
