#include <gtest/gtest.h>

#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

class inception_full_size : public testing::TestWithParam<const char*> {};

TEST_P(inception_full_size, gives_the_reference_numbers) {
  test::ModelPlugin plugin("i3d");
  Value options = plugin.preset(GetParam());
  options.set("dropout", 0.0);
  const auto model = plugin.make(options, 400);
  const nlohmann::json file = test::golden(std::string("models/") + GetParam() + ".json");
  for (const nlohmann::json& one_case : file["cases"]) {
    // Their mean is what the model calls logits; pytorch-i3d leaves it to its user.
    test::expect_same_logits(*model, file, one_case, {.extra = "time_logits"});
    if (one_case.contains("train")) test::expect_same_training(*model, file, one_case);
  }
}

INSTANTIATE_TEST_SUITE_P(presets, inception_full_size,
                         testing::Values("i3d_inception_rgb", "i3d_inception_flow"),
                         [](const auto& info) { return std::string(info.param); });

}  // namespace
}  // namespace kinema
