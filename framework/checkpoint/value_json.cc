#include "framework/checkpoint/value_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "framework/checkpoint/json_scanner.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

using Json = nlohmann::ordered_json;
constexpr int kMaxDepth = 100;

Json real_json(double real) {
  if (std::isfinite(real)) return real;
  return Json{{"$real", std::isnan(real) ? "nan" : real > 0 ? "inf" : "-inf"}};
}

Json string_json(const std::string& text) {
  if (utf8_fault(text) == text.size()) return text;
  std::string hex;
  for (const char c : text) hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return Json{{"$bytes", hex}};
}

Json to_json(const Value& value) {
  switch (value.type()) {
    case Value::Type::none:
      return nullptr;
    case Value::Type::boolean:
      return value.as_bool();
    case Value::Type::integer:
      return value.as_integer();
    case Value::Type::real:
      return real_json(value.as_real());
    case Value::Type::string:
      return string_json(value.as_string());
    case Value::Type::array: {
      Json array = Json::array();
      for (const Value& item : value.as_array()) array.push_back(to_json(item));
      return array;
    }
    case Value::Type::table:
      break;
  }
  // push_back on the underlying vector: ordered_json's operator[] searches, which is quadratic.
  Json::object_t table;
  for (const Value::Entry& entry : value.as_table()) {
    if (utf8_fault(entry.key) != entry.key.size())
      throw Error(ErrorKind::run, "state", "bad key: expected UTF-8, got " + string_json(entry.key).dump());
    table.push_back({entry.key.starts_with('$') ? '$' + entry.key : entry.key, to_json(entry.value)});
  }
  return table;
}

// Builds the value as the parser goes, so that duplicate keys, which a finished JSON object no longer shows,
// are seen.
class Builder final : public nlohmann::json_sax<Json> {
 public:
  explicit Builder(std::string where) : where_(std::move(where)) {}

  bool null() override { return put(Value()); }
  bool boolean(bool value) override { return put(Value(value)); }
  bool number_integer(std::int64_t value) override { return put(Value(value)); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      fail(fmt::format("integer is too large: expected at most 63 bits, got {}", value));
    return put(Value(static_cast<std::int64_t>(value)));
  }
  bool number_float(double value, const std::string&) override { return put(Value(value)); }
  bool string(std::string& value) override { return put(Value(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Value(Value::Table{})); }
  bool start_array(std::size_t) override { return open(Value(Value::Array{})); }
  bool key(std::string& key) override {
    keys_.back() = key;
    return true;
  }
  bool end_array() override { return close(); }
  bool end_object() override {
    Value& table = stack_.back();
    check_keys(table.as_table());
    untag(table);
    return close();
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::json::exception&) override {
    fail(fmt::format("malformed JSON: expected a value, got something else at byte {}", position));
  }
  Value take() { return std::move(root_); }

 private:
  [[noreturn]] void fail(const std::string& what) { throw Error(ErrorKind::data, where_, what); }

  bool open(Value value) {
    if (stack_.size() == kMaxDepth)
      fail(fmt::format("nesting is too deep: expected at most {} levels, got more", kMaxDepth));
    stack_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Value value = std::move(stack_.back());
    stack_.pop_back();
    keys_.pop_back();
    return put(std::move(value));
  }
  bool put(Value value) {
    if (stack_.empty())
      root_ = std::move(value);
    else if (stack_.back().is(Value::Type::array))
      stack_.back().as_array().push_back(std::move(value));
    else
      stack_.back().as_table().push_back({std::move(keys_.back()), {}, std::move(value)});
    return true;
  }

  void check_keys(const Value::Table& table) {
    std::vector<std::string_view> keys;
    for (const Value::Entry& entry : table) keys.push_back(entry.key);
    std::sort(keys.begin(), keys.end());
    const auto twice = std::adjacent_find(keys.begin(), keys.end());
    if (twice != keys.end())
      fail("duplicate key '" + std::string(*twice) + "': expected it once, got it again");
  }

  // Replaces a tagged table by what it stands for and takes the escape off keys.
  void untag(Value& value) {
    Value::Table& table = value.as_table();
    for (Value::Entry& entry : table) {
      if (!entry.key.starts_with('$')) continue;
      if (entry.key.starts_with("$$")) {
        entry.key.erase(0, 1);
        continue;
      }
      if (table.size() != 1 || !entry.value.is(Value::Type::string))
        fail("unknown tag '" + entry.key + "': expected $real or $bytes with a text, got another value");
      Value plain = tagged(entry.key, entry.value.as_string());
      value = std::move(plain);
      return;
    }
  }
  Value tagged(const std::string& tag, const std::string& text) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    if (tag == "$real" && text == "nan") return std::numeric_limits<double>::quiet_NaN();
    if (tag == "$real" && text == "inf") return kInfinity;
    if (tag == "$real" && text == "-inf") return -kInfinity;
    if (tag == "$bytes" && text.size() % 2 == 0 &&
        text.find_first_not_of("0123456789abcdef") == std::string::npos) {
      std::string bytes;
      for (std::size_t i = 0; i < text.size(); i += 2)
        bytes.push_back(static_cast<char>(std::stoi(text.substr(i, 2), nullptr, 16)));
      return bytes;
    }
    fail("unknown tag '" + tag + "': expected $real of nan, inf or -inf, or $bytes in hex, got '" + text +
         "'");
  }

  std::string where_;
  std::vector<Value> stack_;
  std::vector<std::string> keys_;  // the pending key of each level of stack_
  Value root_;
};

}  // namespace

std::string value_to_json(const Value& value) { return to_json(value).dump(1); }

Value value_from_json(std::string_view text, const std::string& where) {
  Builder builder(where);
  if (!Json::sax_parse(text, &builder))
    throw Error(ErrorKind::data, where, "malformed JSON: expected one value, got something else");
  return builder.take();
}

}  // namespace kinema::checkpoint
