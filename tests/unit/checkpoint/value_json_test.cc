#include "framework/checkpoint/value_json.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>

#include "tests/unit/checkpoint/contents.h"

namespace kinema::checkpoint {
namespace {

using testing::HasSubstr;

Value round_trip(const Value& value) { return value_from_json(value_to_json(value), "state.json"); }

TEST(value_json, every_type_comes_back_as_itself) {
  const Value value = Value::table({{"none", Value()},
                                    {"flag", Value(true)},
                                    {"integer", Value(std::int64_t{-9007199254740993})},
                                    {"real", Value(3.0)},
                                    {"text", Value("\"\n\xc3\xa4")},
                                    {"array", Value(Value::Array{Value(1), Value(1.5), Value("x")})},
                                    {"empty", Value::table()}});
  EXPECT_EQ(round_trip(value), value);
  EXPECT_EQ(round_trip(value).find("real")->type(), Value::Type::real);
}

TEST(value_json, keys_keep_their_order) {
  const Value back = round_trip(Value::table({{"b", Value(1)}, {"a", Value(2)}, {"c", Value(3)}}));
  EXPECT_EQ(back.as_table()[0].key, "b");
  EXPECT_EQ(back.as_table()[1].key, "a");
}

TEST(value_json, doubles_return_bit_by_bit) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    double number;
    const std::uint64_t bits = random();
    std::memcpy(&number, &bits, sizeof number);
    if (std::isnan(number)) continue;
    const double back = round_trip(Value(number)).as_real();
    ASSERT_EQ(std::memcmp(&back, &number, sizeof number), 0) << number;
  }
  EXPECT_TRUE(std::signbit(round_trip(Value(-0.0)).as_real()));
}

TEST(value_json, non_finite_numbers_survive_as_tags) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(std::isnan(round_trip(Value(std::nan(""))).as_real()));
  EXPECT_EQ(round_trip(Value(kInfinity)).as_real(), kInfinity);
  EXPECT_EQ(round_trip(Value(Value::Array{Value(-kInfinity)})).as_array()[0].as_real(), -kInfinity);
  EXPECT_THAT(value_to_json(Value(std::nan(""))), HasSubstr("\"nan\""));
}

TEST(value_json, tables_that_look_like_tags_stay_tables) {
  const Value value = Value::table({{"$real", Value("nan")}});
  EXPECT_EQ(round_trip(value), value);
  const Value more = Value::table({{"$$", Value(1)}, {"$x", Value(2)}});
  EXPECT_EQ(round_trip(more), more);
}

TEST(value_json, text_that_is_not_utf8_survives) {
  const Value value(std::string("\xff\x00z", 3));
  EXPECT_EQ(round_trip(value), value);
}

TEST(value_json, foreign_or_broken_text_is_refused) {
  const auto error = [](const std::string& text) {
    return error_of([&] { value_from_json(text, "state.json"); });
  };
  EXPECT_THAT(error("{"),
              HasSubstr("state.json: malformed JSON: expected a value, got something else at byte"));
  EXPECT_THAT(error("[1] x"), HasSubstr("malformed JSON: expected a value, got something else at byte"));
  EXPECT_THAT(error(R"({"a":1,"a":2})"), HasSubstr("duplicate key 'a'"));
  EXPECT_THAT(error(R"({"$odd":"x"})"), HasSubstr("unknown tag '$odd'"));
  EXPECT_THAT(
      error(R"({"$bytes":"f"})"),
      HasSubstr("unknown tag '$bytes': expected $real of nan, inf or -inf, or $bytes in hex, got 'f'"));
  EXPECT_THAT(error("18446744073709551615"), HasSubstr("integer is too large: expected at most 63 bits"));
  EXPECT_THAT(error(std::string(200, '[') + std::string(200, ']')),
              HasSubstr("nesting is too deep: expected at most 100 levels"));
}

}  // namespace
}  // namespace kinema::checkpoint
