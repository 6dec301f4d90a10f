#include "framework/config/override.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/config/merge.h"

namespace kinema::config {
namespace {

using testing::ElementsAre;
using testing::Optional;

TEST(override_text, is_split_at_white_space_outside_quotes_and_brackets) {
  EXPECT_THAT(split_overrides("  a=1 b={ c = [1, 2] }\n d=\"x \\\" y\"\te='p q' "),
              ElementsAre("a=1", "b={ c = [1, 2] }", "d=\"x \\\" y\"", "e='p q'"));
  EXPECT_THAT(split_overrides(""), ElementsAre());
  EXPECT_THAT(split_overrides("a=] b=1"), ElementsAre("a=]", "b=1"));
}

TEST(override_text, keys_are_split_at_dots_outside_quotes) {
  EXPECT_THAT(split_key("a.b.0"), Optional(ElementsAre("a", "b", "0")));
  EXPECT_THAT(split_key("a.\"b.c\".d"), Optional(ElementsAre("a", "b.c", "d")));
  for (const char* bad : {"", ".", "a.", ".a", "a..b", "\"a", "\"a\"b", "\"\""})
    EXPECT_EQ(split_key(bad), std::nullopt) << bad;
}

}  // namespace
}  // namespace kinema::config
