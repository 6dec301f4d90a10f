#include "framework/config/render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kinema::config {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

Sources sources_with(const std::string& text) {
  Sources sources;
  sources.add("x.toml", text);
  return sources;
}

TEST(rendered_error, shows_the_source_line_with_a_mark_under_the_column) {
  const Problem problem{"x.toml:2:5", "bad", "do better", {"x.toml", 2, 5, ""}};
  EXPECT_EQ(render({problem}, sources_with("a = 1\r\n\tb = x\r\n"), false),
            "x.toml:2:5: bad\n    2 |  b = x\n      |     ^\nhint: do better\n");
}

TEST(rendered_error, marks_characters_not_bytes) {
  const Problem problem{"x.toml:1:9", "bad", "", {"x.toml", 1, 9, ""}};
  EXPECT_EQ(render({problem}, sources_with("größe = x"), false),
            "x.toml:1:9: bad\n    1 | größe = x\n      |         ^\n");
}

TEST(rendered_error, has_no_excerpt_where_there_is_no_line) {
  EXPECT_EQ(render({{"command line: a", "bad", "", {"command line", 0, 0, ""}}}, sources_with("a"), false),
            "command line: a: bad\n");
  EXPECT_EQ(render({{"x.toml:9:1", "bad", "", {"x.toml", 9, 1, ""}}}, sources_with("a"), false),
            "x.toml:9:1: bad\n");
}

TEST(rendered_error, sends_no_control_characters_to_the_terminal) {
  const Problem problem{"x.toml:1:1", "got \x1b[31m", "", {"x.toml", 1, 1, ""}};
  EXPECT_EQ(render({problem}, sources_with("a\x1b[2J"), false),
            "x.toml:1:1: got ?[31m\n    1 | a?[2J\n      | ^\n");
}

TEST(rendered_error, is_coloured_when_asked) {
  const std::string text = render({{"x", "bad", "", {}}}, Sources(), true);
  EXPECT_THAT(text, HasSubstr("\x1b[1mx:\x1b[0m \x1b[31mbad\x1b[0m\n"));
  EXPECT_THAT(render({{"x", "bad", "", {}}}, Sources(), false), Not(HasSubstr("\x1b")));
}

TEST(rendered_error, counts_what_would_fill_the_screen) {
  const std::vector<Problem> many(120, Problem{"x", "bad", "", {}});
  EXPECT_THAT(render(many, Sources(), false), EndsWith("x: bad\n... and 70 more problems\n"));
}

}  // namespace
}  // namespace kinema::config
