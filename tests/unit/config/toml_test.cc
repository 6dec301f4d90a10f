#include "framework/config/toml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

using testing::HasSubstr;

const Origin kSource{"x.toml", 0, 0, "/base"};

Value parsed(std::string_view text) {
  std::vector<Problem> problems;
  const auto value = parse_toml(text, kSource, problems);
  EXPECT_TRUE(value) << (problems.empty() ? "" : problems[0].what);
  return value.value_or(Value());
}

std::string refusal(std::string_view text) {
  std::vector<Problem> problems;
  EXPECT_FALSE(parse_toml(text, kSource, problems));
  return problems.empty() ? "no problem" : problems[0].where + ": " + problems[0].what;
}

TEST(toml, every_type_arrives_with_its_value) {
  const Value value =
      parsed("a = true\nb = -3\nc = 1.5\nd = \"t\"\ne = [1, \"x\"]\nf = { g = 1 }\n[h.i]\nj = inf");
  EXPECT_TRUE(value.find("a")->as_bool());
  EXPECT_EQ(value.find("b")->as_integer(), -3);
  EXPECT_EQ(value.find("c")->as_real(), 1.5);
  EXPECT_EQ(value.find("d")->as_string(), "t");
  EXPECT_EQ(value.find("e")->text(), "[1, \"x\"]");
  EXPECT_EQ(value.find("f")->text(), "{ g = 1 }");
  EXPECT_EQ(value.find("h")->text(), "{ i = { j = inf } }");
}

TEST(toml, keys_and_values_know_their_line_and_column) {
  const Value value = parsed("name = \"x\"\n[model]\n  depth = 50\n");
  const Value::Entry& model = value.as_table()[1];
  const Value::Entry& depth = model.value.as_table()[0];
  EXPECT_EQ(model.key_origin.text(), "x.toml:2:2");
  EXPECT_EQ(model.value.origin.text(), "x.toml:2:1");
  EXPECT_EQ(depth.key_origin.text(), "x.toml:3:3");
  EXPECT_EQ(depth.value.origin.text(), "x.toml:3:11");
  EXPECT_EQ(depth.value.origin.base, "/base");
}

TEST(toml, tables_keep_the_order_of_the_file) {
  EXPECT_EQ(parsed("zebra = 1\napple = 2\n[model]\nb = 1\na = 2").text(),
            "{ zebra = 1, apple = 2, model = { b = 1, a = 2 } }");
}

TEST(toml, columns_count_characters_not_bytes) {
  EXPECT_EQ(parsed("a = { \"größe\" = 1 }").find("a")->find("größe")->origin.text(), "x.toml:1:17");
}

TEST(toml, a_byte_order_mark_and_windows_line_ends_are_taken) {
  const Value value = parsed(
      "\xef\xbb\xbf"
      "a = 1\r\nb = 2\r\n");
  EXPECT_EQ(value.text(), "{ a = 1, b = 2 }");
  EXPECT_EQ(value.as_table()[0].key_origin.text(), "x.toml:1:1");
  EXPECT_EQ(value.find("b")->origin.text(), "x.toml:2:5");
}

TEST(toml, bytes_that_are_no_text_are_refused_at_their_place) {
  EXPECT_EQ(refusal(std::string_view("a = 1\nb = \"\0\"", 12)),
            "x.toml:2:6: not a text file: expected UTF-8, got byte 0x00");
  EXPECT_EQ(refusal("a = \"\xff\""), "x.toml:1:6: not a text file: expected UTF-8, got byte 0xff");
  EXPECT_EQ(refusal("a = \"\xc3"), "x.toml:1:6: not a text file: expected UTF-8, got byte 0xc3");
  EXPECT_EQ(refusal("\"\xed\xa0\x80\" = 1"), "x.toml:1:2: not a text file: expected UTF-8, got byte 0xed");
  EXPECT_EQ(refusal("\xc0\x80"), "x.toml:1:1: not a text file: expected UTF-8, got byte 0xc0");
}

TEST(toml, a_long_file_is_refused_before_it_is_parsed) {
  EXPECT_EQ(refusal("a = \"" + std::string(10 << 20, 'x') + "\""),
            "x.toml: too long: expected at most 1048576 bytes, got 10485766");
}

TEST(toml, one_line_of_almost_the_allowed_length_is_taken) {
  EXPECT_EQ(parsed("a = \"" + std::string(1 << 19, 'x') + "\"").find("a")->as_string().size(), 1u << 19);
}

TEST(toml, deep_nesting_is_refused_in_every_form) {
  const auto repeat = [](const std::string& text, int count) {
    std::string result;
    for (int i = 0; i < count; ++i) result += text;
    return result;
  };
  EXPECT_THAT(refusal("a = " + repeat("[", 100000)), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("a = " + repeat("{a=", 100000)), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("[" + repeat("a.", 100000) + "a]"), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal(repeat("a.", 100000) + "a = 1"), HasSubstr("nested too deeply"));
  EXPECT_THAT(refusal("a = " + repeat("{a.a.a.a.a.a.a.a=", 20) + "1" + repeat("}", 20)),
              HasSubstr("nested too deeply"));
}

TEST(toml, brackets_in_strings_and_comments_are_no_nesting) {
  const std::string brackets(100, '[');
  EXPECT_EQ(parsed("a = \"\\\"" + brackets + "\" # " + brackets + "\nb = '" + brackets + "'\nc = \"\"\"\n" +
                   brackets + "\n\"\"\"\n")
                .as_table()
                .size(),
            3u);
}

TEST(toml, too_many_values_are_refused) {
  std::string text = "a = [";
  for (int i = 0; i < 30000; ++i) text += "1,";
  EXPECT_EQ(refusal(text + "]"), "x.toml:1:40004: too long: expected at most 20000 values, got more");
}

TEST(toml, an_override_value_is_toml_or_else_the_text_itself) {
  const Origin origin{"command line", 0, 0, ""};
  EXPECT_EQ(parse_toml_value("50", origin), Value(50));
  EXPECT_EQ(parse_toml_value("[1, 2]", origin).text(), "[1, 2]");
  EXPECT_EQ(parse_toml_value("{ a.b = 1 }", origin).text(), "{ a = { b = 1 } }");
  EXPECT_EQ(parse_toml_value("'50'", origin), Value("50"));
  EXPECT_EQ(parse_toml_value("val/top1", origin), Value("val/top1"));
  EXPECT_EQ(parse_toml_value("", origin), Value(""));
  EXPECT_EQ(parse_toml_value("2024-01-01", origin), Value("2024-01-01"));
  EXPECT_EQ(parse_toml_value("{ a = 1 }", origin).find("a")->origin.text(), "command line");
}

TEST(toml, an_override_value_cannot_bring_other_keys_along) {
  EXPECT_EQ(parse_toml_value("1\nother = 2", Origin{}), Value("1\nother = 2"));
}

}  // namespace
}  // namespace kinema::config
