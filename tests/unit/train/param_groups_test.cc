#include "framework/train/param_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "tests/support/tiny_run.h"

namespace kinema::train {
namespace {

using testing::ElementsAre;

std::vector<std::string> names(const ParamGroup& group) {
  std::vector<std::string> list;
  for (const NamedTensor& parameter : group.parameters) list.push_back(parameter.name);
  return list;
}

config::OptimizerSection section(bool decay_norm_and_bias) {
  config::OptimizerSection section;
  section.weight_decay = 0.01;
  section.decay_norm_and_bias = decay_norm_and_bias;
  return section;
}

TEST(param_groups, are_one_group_when_everything_decays) {
  const auto groups = make_param_groups(tests::TinyNet(), nullptr, section(true));
  ASSERT_EQ(groups.size(), 1u);
  EXPECT_THAT(names(groups[0]),
              ElementsAre("conv.weight", "norm.weight", "norm.bias", "fc.weight", "fc.bias"));
  EXPECT_EQ(groups[0].weight_decay, 0.01);
}

TEST(param_groups, take_the_decay_from_norms_and_biases_on_request) {
  const auto groups = make_param_groups(tests::TinyNet(), nullptr, section(false));
  ASSERT_EQ(groups.size(), 2u);
  EXPECT_THAT(names(groups[0]), ElementsAre("conv.weight", "fc.weight"));
  EXPECT_THAT(names(groups[1]), ElementsAre("norm.weight", "norm.bias", "fc.bias"));
  EXPECT_EQ(groups[1].weight_decay, 0);
}

struct RuledNet : tests::TinyNet, HasParamRules {
  std::vector<ParamRule> param_rules() const override {
    return {{"fc", 10, 0.5}, {"fc.bias", 20, 0.5}, {"conv", 1, 1}};
  }
};

TEST(param_groups, follow_the_model_s_rules_and_the_longest_prefix_wins) {
  const auto groups = make_param_groups(RuledNet(), nullptr, section(false));
  ASSERT_EQ(groups.size(), 4u);
  EXPECT_THAT(names(groups[0]), ElementsAre("conv.weight"));
  EXPECT_THAT(names(groups[1]), ElementsAre("norm.weight", "norm.bias"));
  EXPECT_THAT(names(groups[2]), ElementsAre("fc.weight"));
  EXPECT_EQ(groups[2].lr_scale, 10);
  EXPECT_EQ(groups[2].weight_decay, 0.005);
  EXPECT_THAT(names(groups[3]), ElementsAre("fc.bias"));
  EXPECT_EQ(groups[3].lr_scale, 20);
  EXPECT_EQ(groups[3].weight_decay, 0);
}

TEST(param_groups, leave_frozen_parameters_out) {
  tests::TinyNet net;
  for (const NamedTensor& parameter : net.parameters())
    if (parameter.name.starts_with("conv")) parameter.tensor.set_requires_grad(false);
  EXPECT_THAT(names(make_param_groups(net, nullptr, section(true))[0]),
              ElementsAre("norm.weight", "norm.bias", "fc.weight", "fc.bias"));
}

TEST(param_groups, of_the_file_multiply_those_of_the_model_and_the_last_match_counts) {
  config::OptimizerSection with_groups = section(true);
  with_groups.groups = {{"^fc", 2, 1}, {"^fc\\.bias$", 3, 0}};
  const auto groups = make_param_groups(RuledNet(), nullptr, with_groups);
  ASSERT_EQ(groups.size(), 3u);
  EXPECT_THAT(names(groups[1]), ElementsAre("fc.weight"));
  EXPECT_EQ(groups[1].lr_scale, 20);
  EXPECT_THAT(names(groups[2]), ElementsAre("fc.bias"));
  EXPECT_EQ(groups[2].lr_scale, 60);
  EXPECT_EQ(groups[2].weight_decay, 0);
}

TEST(param_groups, of_the_file_have_to_find_a_parameter) {
  config::OptimizerSection with_groups = section(true);
  with_groups.groups = {{"hed", 2, 1}};
  EXPECT_THAT(test::error_of([&] { make_param_groups(tests::TinyNet(), nullptr, with_groups); }),
              testing::HasSubstr("optimizer.group[0].parameters: finds no parameter"));
}

TEST(param_groups, have_no_frozen_parameters) {
  tests::TinyNet net;
  net.conv->weight().set_requires_grad(false);
  const auto groups = make_param_groups(net, nullptr, section(true));
  EXPECT_THAT(names(groups[0]), ElementsAre("norm.weight", "norm.bias", "fc.weight", "fc.bias"));
}

}  // namespace
}  // namespace kinema::train
