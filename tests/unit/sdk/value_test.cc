#include "kinema/value.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "kinema/error.h"

namespace kinema {
namespace {

using testing::HasSubstr;

TEST(value, knows_its_type) {
  EXPECT_TRUE(Value().is(Value::Type::none));
  EXPECT_TRUE(Value(true).is(Value::Type::boolean));
  EXPECT_TRUE(Value(1).is(Value::Type::integer));
  EXPECT_TRUE(Value(1.0).is(Value::Type::real));
  EXPECT_TRUE(Value("text").is(Value::Type::string));
  EXPECT_TRUE(Value(Value::Array{}).is(Value::Type::array));
  EXPECT_TRUE(Value::table().is(Value::Type::table));
}

TEST(value, refuses_to_be_read_as_another_type) {
  Value value("text");
  value.origin = {"x.toml", 3, 7, ""};
  try {
    value.as_integer();
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_STREQ(error.what(), "x.toml:3:7: wrong value type: expected integer, got string");
    EXPECT_EQ(error.problems()[0].origin.line, 3);
  }
  EXPECT_THROW(Value(1.5).as_integer(), Error);
  EXPECT_THROW(Value(1).as_bool(), Error);
  EXPECT_THROW(Value().as_table(), Error);
}

TEST(value, an_integer_is_a_number) { EXPECT_EQ(Value(3).as_real(), 3.0); }

TEST(value, tables_keep_the_order_in_which_keys_were_set) {
  Value table;
  table.set("z", 1);
  table.set("a", 2);
  table.set("z", 3);
  EXPECT_EQ(table.text(), "{ z = 3, a = 2 }");
  EXPECT_TRUE(table.erase("z"));
  EXPECT_FALSE(table.erase("z"));
  EXPECT_EQ(table.find("z"), nullptr);
  EXPECT_EQ(Value(1).find("z"), nullptr);
}

TEST(value, text_is_toml) {
  EXPECT_EQ(Value(3.0).text(), "3.0");
  EXPECT_EQ(Value(0.1).text(), "0.1");
  EXPECT_EQ(Value(1e300).text(), "1e+300");
  EXPECT_EQ(Value(1000000.0).text(), "1000000.0");
  EXPECT_EQ(Value(-INFINITY).text(), "-inf");
  EXPECT_EQ(Value(std::nan("")).text(), "nan");
  EXPECT_EQ(Value("a\"b\\c\nd\x01").text(), "\"a\\\"b\\\\c\\nd\\u0001\"");
  EXPECT_EQ(Value::table({{"odd key", Value(Value::Array{1, "x"})}, {"plain", Value::table()}}).text(),
            "{ \"odd key\" = [1, \"x\"], plain = {} }");
}

TEST(value, equality_is_of_type_and_content_in_any_order_and_ignores_origins) {
  Value a = Value::table({{"x", 1}, {"y", 2.5}});
  const Value b = Value::table({{"y", 2.5}, {"x", 1}});
  a.origin.source = "somewhere";
  EXPECT_EQ(a, b);
  EXPECT_FALSE(Value(1) == Value(1.0));
  EXPECT_FALSE(a == Value::table({{"x", 1}}));
  EXPECT_EQ(Value(std::nan("")), Value(std::nan("")));
}

TEST(value, one_place_is_given_to_everything_inside) {
  Value value = Value::table({{"list", Value(Value::Array{Value::table({{"x", 1}}), 2})}});
  value.set_origin({"a.toml", 3, 4, "folder"});
  EXPECT_EQ(value.origin.text(), "a.toml:3:4");
  EXPECT_EQ(value.as_table()[0].key_origin.text(), "a.toml:3:4");
  const Value& table = value.find("list")->as_array()[0];
  EXPECT_EQ(table.as_table()[0].key_origin.base, "folder");
  EXPECT_EQ(table.find("x")->origin.text(), "a.toml:3:4");
}

TEST(value, copies_are_deep) {
  Value a = Value::table({{"x", Value::table({{"y", 1}})}});
  const Value b = a;
  a.find("x")->set("y", 2);
  EXPECT_EQ(b.find("x")->find("y")->as_integer(), 1);
}

}  // namespace
}  // namespace kinema
