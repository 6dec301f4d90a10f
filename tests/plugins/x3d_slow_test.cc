#include <gtest/gtest.h>

#include "tests/support/key_map.h"
#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

class x3d_full_size : public testing::TestWithParam<const char*> {
 protected:
  test::ModelPlugin plugin{"x3d"};
};

TEST_P(x3d_full_size, gives_the_reference_numbers) {
  test::PathwayReference reference(plugin, GetParam(), GetParam());
  for (const nlohmann::json& one_case : reference.file["cases"]) {
    reference.expect_logits(one_case["id"]);
    if (one_case.contains("train")) reference.expect_training(one_case["id"]);
  }
}

INSTANTIATE_TEST_SUITE_P(presets, x3d_full_size, testing::Values("x3d_xs", "x3d_s", "x3d_m"),
                         [](const auto& info) { return std::string(info.param); });

TEST(x3d_places, of_clips_larger_than_the_training_clips_are_the_reference_ones) {
  test::ModelPlugin plugin("x3d");
  const nlohmann::json network = test::golden("models/pyslowfast_x3d_s.json");
  const nlohmann::json cases = test::golden_cases("models/pyslowfast_x3d_places.json");
  for (const nlohmann::json& c : cases) {
    Value options = plugin.preset(c["preset"]);
    for (const auto& [key, value] : c["options"].items()) options.set(key, value.get<std::int64_t>());
    test::expect_same_logits(*plugin.make(options, 400), network, c["case"]);
  }
  EXPECT_EQ(cases.size(), 3u);
}

TEST(x3d_weights, of_pytorchvideo_give_its_logits) {
  test::ModelPlugin plugin("x3d");
  const nlohmann::json file = test::golden("models/pytorchvideo_x3d_s.json");
  const auto model = plugin.make(plugin.preset("x3d_s"), 400);
  const KeyMap map = test::key_map_of(*model, "pytorchvideo");
  test::expect_same_logits(*model, file, file["cases"][0], {.extra = "", .names = &map});
}

}  // namespace
}  // namespace kinema
