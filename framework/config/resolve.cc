#include "framework/config/resolve.h"

#include <filesystem>

namespace kinema::config {
namespace {

using Form = OptionType::Form;

bool is_empty_list(const Value& value) { return value.is(Value::Type::array) && value.as_array().empty(); }

// Also drops empty lists: they stand for "not given", which some keys must not be together.
void make_default(Value& value) {
  value.origin = Origin{"default", 0, 0, {}};
  if (value.is(Value::Type::array))
    for (Value& element : value.as_array()) make_default(element);
  if (!value.is(Value::Type::table)) return;
  std::erase_if(value.as_table(), [](const Value::Entry& entry) { return is_empty_list(entry.value); });
  for (Value::Entry& entry : value.as_table()) {
    entry.key_origin = value.origin;
    make_default(entry.value);
  }
}

Value::Entry entry_of(const Value& table, const std::string& key) {
  for (const Value::Entry& entry : table.as_table())
    if (entry.key == key) return entry;
  return {};
}

class Filling {
 public:
  explicit Filling(const Catalog* catalog) : catalog_(catalog) {}

  Value table(const Value& given, const OptionTable& table) const {
    Value result = Value::table();
    result.origin = given.origin;
    if (table.open() && given.find("type")) result.as_table().push_back(entry_of(given, "type"));
    for (const Option& option : table.options()) add(result, given, option);
    if (!table.open() || !given.find("type")) return result;
    Value rest = given;
    for (const Option& option : table.options()) rest.erase(option.name);
    Value own = component(rest, table.rest_kind());
    for (Value::Entry& entry : own.as_table())
      if (entry.key != "type") result.as_table().push_back(std::move(entry));
    return result;
  }

 private:
  void add(Value& result, const Value& given, const Option& option) const {
    Value::Entry entry{option.name, given.origin, Value()};
    if (given.find(option.name)) {
      entry = entry_of(given, option.name);
    } else {
      // batch has no effect beside global_batch, and both together would be refused.
      if (option.name == "batch" && given.find("global_batch")) return;
      entry.value = option.default_value;
      if (entry.value.is(Value::Type::none) || is_empty_list(entry.value)) return;
      make_default(entry.value);
      entry.key_origin = entry.value.origin;
      if (option.type.form == Form::path && !entry.value.as_string().empty()) {
        Value path(std::filesystem::absolute(entry.value.as_string()).lexically_normal().string());
        path.origin = entry.value.origin;
        entry.value = std::move(path);
      }
    }
    entry.value = value(entry.value, option.type);
    result.as_table().push_back(std::move(entry));
  }

  Value value(const Value& given, const OptionType& type) const {
    if (type.form == Form::table && given.is(Value::Type::table)) return table(given, *type.nested);
    if (type.form == Form::component) return component(given, type.component_kind);
    if (type.form != Form::list) return given;
    Value list{Value::Array{}};
    list.origin = given.origin;
    for (const Value& element : given.as_array()) list.as_array().push_back(value(element, *type.element));
    return list;
  }

  Value component(const Value& given, const std::string& kind) const {
    const Value* type = given.find("type");
    const ComponentInfo* info = catalog_ && type ? catalog_->find(kind, type->as_string()) : nullptr;
    if (!info) return given;
    Value result = Value::table();
    result.origin = given.origin;
    result.as_table().push_back(entry_of(given, "type"));
    Value filled = table(given, info->options);
    for (Value::Entry& entry : filled.as_table())
      if (entry.key != "type") result.as_table().push_back(std::move(entry));
    return result;
  }

  const Catalog* catalog_;
};

}  // namespace

Value with_defaults(const Value& checked, const OptionTable& table, const Catalog* catalog) {
  return Filling(catalog).table(checked, table);
}

}  // namespace kinema::config
