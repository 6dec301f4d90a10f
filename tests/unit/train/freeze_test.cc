#include "framework/train/freeze.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "tests/support/tiny_run.h"

namespace kinema::train {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> learning(const Model& model) {
  std::vector<std::string> names;
  for (const NamedTensor& named : model.parameters())
    if (named.tensor.requires_grad()) names.push_back(named.name);
  return names;
}

config::WeightsOptions frozen(std::vector<std::string> expressions) {
  config::WeightsOptions options;
  options.freeze = std::move(expressions);
  return options;
}

TEST(freeze, takes_the_found_parameters_from_learning) {
  tests::TinyNet net;
  EXPECT_EQ(freeze_parameters(net, frozen({"^conv", "norm\\.(weight|bias)"})),
            "frozen: 3 of 5 parameters (332 of 347 values)");
  EXPECT_THAT(learning(net), ElementsAre("fc.weight", "fc.bias"));
  EXPECT_EQ(freeze_parameters(net, {}), "");
}

TEST(freeze, refuses_expressions_that_find_nothing_and_a_model_that_cannot_learn) {
  tests::TinyNet net;
  EXPECT_EQ(test::error_of([&] {
              freeze_parameters(net, frozen({"covn", "zzz"}));
            }),
            "model.freeze[0]: finds no parameter: expected a regular expression found in one of 5 names, got "
            "\"covn\"\n"
            "hint: did you mean \"conv\"?\n"
            "model.freeze[1]: finds no parameter: expected a regular expression found in one of 5 names, got "
            "\"zzz\"\n"
            "hint: kinema model summary lists the names");
  EXPECT_THAT(test::error_of([&] { freeze_parameters(net, frozen({"."})); }),
              HasSubstr("nothing learns: expected a parameter that is not frozen, got all 5 frozen"));
}

TEST(freeze, holds_the_statistics_of_frozen_norms) {
  tests::TinyNet net;
  net.train();
  hold_norms(net, false);
  EXPECT_TRUE(net.norm->training());
  freeze_parameters(net, frozen({"norm"}));
  hold_norms(net, false);
  EXPECT_FALSE(net.norm->training());
  EXPECT_TRUE(net.dropout->training());
}

TEST(freeze, holds_the_statistics_of_all_norms_on_request) {
  tests::TinyNet net;
  net.train();
  hold_norms(net, true);
  EXPECT_FALSE(net.norm->training());
  EXPECT_TRUE(net.training());
}

}  // namespace
}  // namespace kinema::train
