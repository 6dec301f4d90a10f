#include "kinema/value.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "kinema/error.h"

namespace kinema {
namespace {

[[noreturn]] void wrong_type(const Value& value, Value::Type wanted) {
  std::string what = std::string("wrong value type: expected ") + Value::type_name(wanted) + ", got " +
                     Value::type_name(value.type());
  throw Error(ErrorKind::usage, std::vector<Problem>{{value.origin.text(), what, {}, value.origin}});
}

std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789ABCDEF";
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\u00";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string key_text(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? std::string(key) : quoted(key);
}

std::string real_text(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char buffer[40];
  const bool readable = value == 0 || (std::abs(value) >= 1e-5 && std::abs(value) < 1e15);
  const auto end = readable
                       ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed).ptr
                       : std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  // Without a point or an exponent TOML would read an integer.
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool same(const Value::Table& a, const Value::Table& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto& key = a[i].key;
    // Nearly always in the same order.
    const auto found = b[i].key == key
                           ? b.begin() + static_cast<std::ptrdiff_t>(i)
                           : std::find_if(b.begin(), b.end(), [&](const auto& e) { return e.key == key; });
    if (found == b.end() || !(found->value == a[i].value)) return false;
  }
  return true;
}

}  // namespace

Value::Value() = default;
Value::Value(bool value) : data_(value) {}
Value::Value(int value) : data_(static_cast<std::int64_t>(value)) {}
Value::Value(std::int64_t value) : data_(value) {}
Value::Value(double value) : data_(value) {}
Value::Value(const char* value) : data_(std::string(value)) {}
Value::Value(std::string value) : data_(std::move(value)) {}
Value::Value(Array value) : data_(std::move(value)) {}
Value::Value(Table value) : data_(std::move(value)) {}
Value::Value(const Value&) = default;
Value::Value(Value&&) noexcept = default;
Value& Value::operator=(const Value&) = default;
Value& Value::operator=(Value&&) noexcept = default;
Value::~Value() = default;

Value Value::table(std::initializer_list<std::pair<std::string, Value>> entries) {
  Value value{Table{}};
  for (const auto& [key, entry] : entries) value.set(key, entry);
  return value;
}

Value::Type Value::type() const noexcept { return static_cast<Type>(data_.index()); }

const char* Value::type_name(Type type) noexcept {
  static constexpr const char* kNames[] = {"nothing", "boolean", "integer", "number",
                                           "string",  "array",   "table"};
  return kNames[static_cast<int>(type)];
}

bool Value::as_bool() const {
  if (const auto* value = std::get_if<bool>(&data_)) return *value;
  wrong_type(*this, Type::boolean);
}

std::int64_t Value::as_integer() const {
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return *value;
  wrong_type(*this, Type::integer);
}

double Value::as_real() const {
  if (const auto* value = std::get_if<double>(&data_)) return *value;
  if (const auto* value = std::get_if<std::int64_t>(&data_)) return static_cast<double>(*value);
  wrong_type(*this, Type::real);
}

const std::string& Value::as_string() const {
  if (const auto* value = std::get_if<std::string>(&data_)) return *value;
  wrong_type(*this, Type::string);
}

const Value::Array& Value::as_array() const {
  if (const auto* value = std::get_if<Array>(&data_)) return *value;
  wrong_type(*this, Type::array);
}

Value::Array& Value::as_array() { return const_cast<Array&>(std::as_const(*this).as_array()); }

const Value::Table& Value::as_table() const {
  if (const auto* value = std::get_if<Table>(&data_)) return *value;
  wrong_type(*this, Type::table);
}

Value::Table& Value::as_table() { return const_cast<Table&>(std::as_const(*this).as_table()); }

const Value* Value::find(std::string_view key) const noexcept {
  const auto* table = std::get_if<Table>(&data_);
  if (!table) return nullptr;
  for (const Entry& entry : *table)
    if (entry.key == key) return &entry.value;
  return nullptr;
}

Value* Value::find(std::string_view key) noexcept {
  return const_cast<Value*>(std::as_const(*this).find(key));
}

Value& Value::set(std::string_view key, Value value) {
  if (is(Type::none)) data_ = Table{};
  if (Value* found = find(key)) return *found = std::move(value);
  Table& table = as_table();
  Origin origin = value.origin;
  table.push_back({std::string(key), std::move(origin), std::move(value)});
  return table.back().value;
}

bool Value::erase(std::string_view key) {
  auto* table = std::get_if<Table>(&data_);
  return table && std::erase_if(*table, [&](const Entry& entry) { return entry.key == key; }) > 0;
}

void Value::set_origin(const Origin& place) {
  origin = place;
  if (is(Type::array))
    for (Value& element : as_array()) element.set_origin(place);
  if (!is(Type::table)) return;
  for (Entry& entry : as_table()) {
    entry.key_origin = place;
    entry.value.set_origin(place);
  }
}

std::string Value::text() const {
  switch (type()) {
    case Type::none:
      return "nothing";
    case Type::boolean:
      return as_bool() ? "true" : "false";
    case Type::integer:
      return std::to_string(as_integer());
    case Type::real:
      return real_text(as_real());
    case Type::string:
      return quoted(as_string());
    case Type::array: {
      std::string out;
      for (const Value& element : as_array()) out += (out.empty() ? "" : ", ") + element.text();
      return "[" + out + "]";
    }
    case Type::table:
      break;
  }
  std::string out;
  for (const Entry& entry : as_table())
    out += (out.empty() ? "" : ", ") + key_text(entry.key) + " = " + entry.value.text();
  return out.empty() ? "{}" : "{ " + out + " }";
}

bool Value::operator==(const Value& other) const noexcept {
  if (type() != other.type()) return false;
  if (const auto* table = std::get_if<Table>(&data_)) return same(*table, std::get<Table>(other.data_));
  if (const auto* array = std::get_if<Array>(&data_)) return *array == std::get<Array>(other.data_);
  if (const auto* real = std::get_if<double>(&data_)) {
    const double theirs = std::get<double>(other.data_);
    return *real == theirs || (std::isnan(*real) && std::isnan(theirs));
  }
  if (const auto* text = std::get_if<std::string>(&data_)) return *text == std::get<std::string>(other.data_);
  if (const auto* number = std::get_if<std::int64_t>(&data_))
    return *number == std::get<std::int64_t>(other.data_);
  if (const auto* flag = std::get_if<bool>(&data_)) return *flag == std::get<bool>(other.data_);
  return true;
}

}  // namespace kinema
