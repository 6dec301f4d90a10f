#include <gtest/gtest.h>

#include "tests/support/pathway_reference.h"

namespace kinema {
namespace {

struct Case {
  const char* plugin;
  const char* preset;
  const char* file;
  bool small_too;  // not among the tests of every day
};
class full_size : public testing::TestWithParam<Case> {};

TEST_P(full_size, gives_the_reference_numbers) {
  test::ModelPlugin plugin(GetParam().plugin);
  test::PathwayReference reference(plugin, GetParam().preset, GetParam().file);
  reference.expect_logits("true");
  if (!GetParam().small_too) return;
  reference.expect_logits("small");
  reference.expect_training("small");
}

INSTANTIATE_TEST_SUITE_P(
    presets, full_size,
    testing::Values(Case{"slowfast", "c2d_r50", "c2d_r50", true},
                    Case{"slowfast", "slow_8x8_r50", "slow_8x8_r50", true},
                    Case{"slowfast", "slowfast_4x16_r50", "slowfast_4x16_r50", true},
                    Case{"slowfast", "slowfast_8x8_r50", "slowfast_8x8_r50", false},
                    Case{"slowfast", "ava_slow_4x16_r50", "ava_slow_r50", false},
                    Case{"slowfast", "ava_slowfast_32x2_r50", "ava_slowfast_32x2_r50", true},
                    Case{"i3d", "i3d_r50", "i3d_r50", true}, Case{"i3d", "i3d_nln_r50", "i3d_nln_r50", true}),
    [](const auto& info) { return std::string(info.param.preset); });

}  // namespace
}  // namespace kinema
