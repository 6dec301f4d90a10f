#include <gtest/gtest.h>

#include "tests/support/hara_reference.h"

namespace kinema {
namespace {

test::ModelPlugin& plugin() {
  static test::ModelPlugin loaded("resnet3d");
  return loaded;
}

class large_hara_state : public testing::TestWithParam<const char*> {};

TEST_P(large_hara_state, is_the_references) { test::HaraReference(plugin(), GetParam()).expect_state(); }

INSTANTIATE_TEST_SUITE_P(presets, large_hara_state,
                         testing::Values("resnet3d_34", "resnet3d_101", "resnet2p1d_34", "resnet2p1d_50",
                                         "preresnet3d_50", "resnext3d_101", "wideresnet3d_50_k2"),
                         [](const auto& info) { return std::string(info.param); });

struct Case {
  const char* preset;
  const char* id;
};
class large_hara_numbers : public testing::TestWithParam<Case> {};

TEST_P(large_hara_numbers, are_the_references) {
  test::HaraReference(plugin(), GetParam().preset).expect_case(GetParam().id);
}

INSTANTIATE_TEST_SUITE_P(presets, large_hara_numbers,
                         testing::Values(Case{"resnet3d_18", "true"}, Case{"resnet3d_50", "true"},
                                         Case{"resnet3d_50", "small"}, Case{"resnet2p1d_50", "small"},
                                         Case{"preresnet3d_50", "small"}, Case{"resnext3d_101", "small"},
                                         Case{"wideresnet3d_50_k2", "small"}),
                         [](const auto& info) {
                           return std::string(info.param.preset) + "_" + info.param.id;
                         });

struct Counts {
  const char* preset;
  std::int64_t parameters;  // with 400 classes
  std::int64_t shortcut_a;  // the same without convolutions in shortcuts; 0: not published
};

TEST(large_hara, has_as_many_parameters_as_published) {
  const Counts published[] = {{"resnet3d_50", 47018576, 44242000},
                              {"resnet3d_101", 86064720, 83288144},
                              {"resnet3d_152", 118223440, 115446864},
                              {"resnet3d_200", 127423056, 124646480},
                              {"preresnet3d_200", 127419088, 0}};
  for (const Counts& c : published) {
    SCOPED_TRACE(c.preset);
    Value options = plugin().preset(c.preset);
    // The classes add their rows of 2048 weights and a bias.
    EXPECT_EQ(test::parameters(*plugin().make(options, 101)), c.parameters - 299 * 2049);
    options.set("shortcut", "A");
    if (c.shortcut_a == 0) continue;
    EXPECT_EQ(test::parameters(*plugin().make(options, 400)), c.shortcut_a);
  }
}

}  // namespace
}  // namespace kinema
