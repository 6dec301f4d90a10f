#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kinema::checkpoint {

enum class PickleKind : std::uint8_t {
  none,
  boolean,
  integer,
  big_integer,  // above 64 bits: `text` holds it, two's complement, little endian
  real,
  text,  // also a Python 2 string, which may hold any bytes
  bytes,
  list,
  tuple,
  set,
  dict,
  global,      // a class or function by name, `text`: "torch.FloatStorage"; never looked up
  persistent,  // items: the id, which says where the object is stored
  object       // a call that was not made; items: what would be called, its arguments, perhaps a state
};

// One value of a pickle. Values refer to one another, may be shared and may form circles: whoever walks them
// bounds his depth.
struct PickleValue {
  PickleKind kind = PickleKind::none;
  std::int64_t integer = 0;  // of boolean and integer
  double real = 0;
  std::string_view text;
  std::vector<const PickleValue*> items;  // of dict: key, value, key, value, ...
};

// "a dict of 3 entries", "an object of 'models.ResNet'", for error messages.
std::string describe(const PickleValue& value);

// The value of a text key, the last one as in Python; null when `dict` has none or is no dict.
const PickleValue* member(const PickleValue& dict, std::string_view key);

// Of an object, the name of the class or function that would be called; otherwise "".
std::string_view callee(const PickleValue& value);

// Argument `i` of an object; null when there is none.
const PickleValue* argument(const PickleValue& object, std::size_t i);

}  // namespace kinema::checkpoint
