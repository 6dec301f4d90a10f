#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "kinema/export.h"
#include "kinema/origin.h"

namespace kinema {

// A configuration value: what TOML can say (dates apart), with the place where it was said. A table keeps its
// order. A plain value type: copies are deep, threads may read one concurrently.
class KINEMA_API Value {
 public:
  struct Entry;  // one key of a table: {key, key_origin, value}
  using Array = std::vector<Value>;
  using Table = std::vector<Entry>;
  enum class Type { none, boolean, integer, real, string, array, table };

  Value();
  Value(bool value);
  Value(int value);
  Value(std::int64_t value);
  Value(double value);
  Value(const char* value);
  Value(std::string value);
  Value(Array value);
  Value(Table value);
  static Value table(std::initializer_list<std::pair<std::string, Value>> entries = {});
  Value(const Value&);
  Value(Value&&) noexcept;
  Value& operator=(const Value&);
  Value& operator=(Value&&) noexcept;
  ~Value();

  Type type() const noexcept;
  // "boolean", "integer", "number", "string", "array", "table", "nothing".
  static const char* type_name(Type type) noexcept;

  bool is(Type t) const noexcept { return type() == t; }
  // Each throws Error(usage) when the type is another one; as_real also takes an integer.
  bool as_bool() const;
  std::int64_t as_integer() const;
  double as_real() const;
  const std::string& as_string() const;
  const Array& as_array() const;
  Array& as_array();
  const Table& as_table() const;
  Table& as_table();

  // Tables. find() gives null when the key is absent or this is not a table.
  const Value* find(std::string_view key) const noexcept;
  Value* find(std::string_view key) noexcept;
  // The value of a key, added at the end when it is new. A value of type none becomes a table.
  Value& set(std::string_view key, Value value);
  bool erase(std::string_view key);
  // Says of this value, of all inside it and of its keys that they were said there.
  void set_origin(const Origin& place);

  // TOML text of this value on one line: 3, 1.5, "text", [1, 2], { a = 1 }.
  std::string text() const;
  // Equal in type and content; origins are not compared.
  bool operator==(const Value& other) const noexcept;

  Origin origin;

 private:
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Array, Table> data_;
};

struct Value::Entry {
  std::string key;
  Origin key_origin;
  Value value;
};

}  // namespace kinema
