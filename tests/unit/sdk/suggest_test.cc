#include "kinema/suggest.h"

#include <gtest/gtest.h>

namespace kinema {
namespace {

TEST(suggestion, is_the_nearest_name) {
  const std::vector<std::string> names = {"width", "depth", "dropout"};
  EXPECT_EQ(nearest_name("dept", names), "depth");
  EXPECT_EQ(nearest_name("dpeth", names), "depth");
  EXPECT_EQ(nearest_name("droput", names), "dropout");
  EXPECT_EQ(did_you_mean("dept", names), "did you mean \"depth\"?");
}

TEST(suggestion, is_no_guess) {
  EXPECT_EQ(nearest_name("momentum", {"depth", "width"}), "");
  EXPECT_EQ(nearest_name("x", {"y"}), "");
  EXPECT_EQ(nearest_name("", {"y"}), "");
  EXPECT_EQ(nearest_name(std::string(1 << 20, 'x'), {"y"}), "");
  EXPECT_EQ(did_you_mean("x", {}), "");
}

TEST(list_of_names, is_short_enough_to_read) {
  EXPECT_EQ(one_of_text({}), "nothing");
  EXPECT_EQ(one_of_text({"a"}), "a");
  EXPECT_EQ(one_of_text({"a", "b"}), "one of a, b");
  const std::string text = one_of_text(std::vector<std::string>(400, "name"));
  EXPECT_LT(text.size(), 200u);
  EXPECT_TRUE(text.ends_with(", ... (400 in all)"));
}

}  // namespace
}  // namespace kinema
