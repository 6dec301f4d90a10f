#include "kinema/options.h"

#include "option_walk.h"

namespace kinema {

std::string OptionType::text() const {
  switch (form) {
    case Form::boolean:
      return "boolean";
    case Form::integer:
      return "integer";
    case Form::real:
      return "number";
    case Form::string:
      return "string";
    case Form::path:
      return "path";
    case Form::choice:
      return "choice";
    case Form::table:
      return "table";
    case Form::component:
      return component_kind;
    case Form::list:
      break;
  }
  const std::string one = element->text();
  if (element->form == Form::list) return "list of lists" + one.substr(4);
  return "list of " + one + (one.ends_with("s") ? "es" : "s");
}

Option::Option() = default;
Option::Option(const Option&) = default;
Option::Option(Option&&) noexcept = default;
Option& Option::operator=(const Option&) = default;
Option& Option::operator=(Option&&) noexcept = default;
Option::~Option() = default;

OptionTable::OptionTable() = default;
OptionTable::OptionTable(const OptionTable&) = default;
OptionTable::OptionTable(OptionTable&&) noexcept = default;
OptionTable& OptionTable::operator=(const OptionTable&) = default;
OptionTable& OptionTable::operator=(OptionTable&&) noexcept = default;
OptionTable::~OptionTable() = default;

void OptionTable::declare(std::string_view name, std::string_view help, OptionType type,
                          Option::Assign assign, Option::Read read, const void* defaults) {
  Option& option = options_.emplace_back();
  option.name = name;
  option.help = help;
  option.type = std::move(type);
  option.assign = std::move(assign);
  option.read = std::move(read);
  option.default_value = option.read(defaults);
}

void OptionTable::add_check(Check check) { options_.back().checks.push_back(std::move(check)); }

const Option* OptionTable::find(std::string_view name) const noexcept {
  for (const Option& option : options_)
    if (option.name == name) return &option;
  return nullptr;
}

Value OptionTable::parse(const Value& table, void* object, const Catalog* catalog, const std::string& path,
                         std::vector<Problem>& problems) const {
  return OptionWalk{catalog, problems}.table(*this, table, object, path, {});
}

Value OptionTable::read(const void* object) const {
  Value table = Value::table();
  for (const Option& option : options_) {
    Value value = option.read(object);
    if (!value.is(Value::Type::none)) table.set(option.name, std::move(value));
  }
  if (!open()) return table;
  const Component<void> component = read_rest_(object);
  if (component.type.empty()) return table;
  table.set("type", Value(component.type));
  for (const Value::Entry& entry : component.options.as_table()) table.set(entry.key, entry.value);
  return table;
}

namespace option_detail {

std::filesystem::path Codec<std::filesystem::path>::from(const Value& v) {
  const std::filesystem::path path = v.as_string();
  if (path.empty() || path.is_absolute() || v.origin.base.empty()) return path;
  return (v.origin.base / path).lexically_normal();
}

Value Codec<std::filesystem::path>::to(const std::filesystem::path& v) { return Value(v.string()); }

std::vector<std::string> Codec<std::vector<std::string>>::from(const Value& v) {
  std::vector<std::string> list;
  for (const Value& element : v.as_array()) list.push_back(element.as_string());
  return list;
}

Value Codec<std::vector<std::string>>::to(const std::vector<std::string>& list) {
  return Value(Value::Array(list.begin(), list.end()));
}

}  // namespace option_detail
}  // namespace kinema
