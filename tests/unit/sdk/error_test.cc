#include "kinema/error.h"

#include <gtest/gtest.h>

namespace kinema {
namespace {

TEST(error, says_every_problem_with_its_hint) {
  const Error error(ErrorKind::data, {{"a.toml:1:2", "bad"}, {"", "worse", "do better"}});
  EXPECT_STREQ(error.what(), "a.toml:1:2: bad\nworse\nhint: do better");
  EXPECT_EQ(static_cast<int>(error.kind()), 4);
}

TEST(error, one_problem_needs_no_list) {
  const Error error(ErrorKind::usage, "here", "wrong", "next");
  ASSERT_EQ(error.problems().size(), 1u);
  EXPECT_EQ(error.problems()[0].where, "here");
  EXPECT_EQ(error.problems()[0].hint, "next");
}

TEST(origin, has_a_line_and_a_column_where_the_source_has_lines) {
  EXPECT_EQ((Origin{"exp.toml", 12, 3, ""}.text()), "exp.toml:12:3");
  EXPECT_EQ((Origin{"command line", 0, 0, "/x"}.text()), "command line");
}

}  // namespace
}  // namespace kinema
