#include "framework/checkpoint/pickle_value.h"

#include <fmt/format.h>

#include "framework/checkpoint/printable.h"

namespace kinema::checkpoint {
namespace {

const char* kind_name(PickleKind kind) {
  switch (kind) {
    case PickleKind::none:
      return "None";
    case PickleKind::boolean:
      return "a bool";
    case PickleKind::integer:
    case PickleKind::big_integer:
      return "an integer";
    case PickleKind::real:
      return "a float";
    case PickleKind::text:
      return "a string";
    case PickleKind::bytes:
      return "bytes";
    case PickleKind::list:
      return "a list";
    case PickleKind::tuple:
      return "a tuple";
    case PickleKind::set:
      return "a set";
    case PickleKind::dict:
      return "a dict";
    case PickleKind::global:
      return "a class or function";
    case PickleKind::persistent:
      return "a storage";
    case PickleKind::object:
      return "an object";
  }
  return "a value";
}

}  // namespace

std::string describe(const PickleValue& value) {
  const std::string name = kind_name(value.kind);
  switch (value.kind) {
    case PickleKind::dict:
      return fmt::format("{} of {} entries", name, value.items.size() / 2);
    case PickleKind::list:
    case PickleKind::tuple:
    case PickleKind::set:
      return fmt::format("{} of {}", name, value.items.size());
    case PickleKind::global:
      return name + " " + printable(value.text);
    case PickleKind::object:
      return callee(value).empty() ? name : fmt::format("{} of {}", name, printable(callee(value)));
    default:
      return name;
  }
}

const PickleValue* member(const PickleValue& dict, std::string_view key) {
  if (dict.kind != PickleKind::dict) return nullptr;
  for (std::size_t i = dict.items.size(); i >= 2; i -= 2)
    if (dict.items[i - 2]->kind == PickleKind::text && dict.items[i - 2]->text == key)
      return dict.items[i - 1];
  return nullptr;
}

std::string_view callee(const PickleValue& value) {
  if (value.kind != PickleKind::object || value.items[0]->kind != PickleKind::global) return {};
  return value.items[0]->text;
}

const PickleValue* argument(const PickleValue& object, std::size_t i) {
  if (object.kind != PickleKind::object || i >= object.items[1]->items.size()) return nullptr;
  return object.items[1]->items[i];
}

}  // namespace kinema::checkpoint
