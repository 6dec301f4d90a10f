#include "option_walk.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "kinema/suggest.h"

namespace kinema {
namespace {

using Form = OptionType::Form;

constexpr std::size_t kLongestShown = 60;

// The TOML type that a form is written as.
Value::Type written_as(Form form) {
  switch (form) {
    case Form::boolean:
      return Value::Type::boolean;
    case Form::integer:
      return Value::Type::integer;
    case Form::real:
      return Value::Type::real;
    case Form::table:
    case Form::component:
      return Value::Type::table;
    case Form::list:
      return Value::Type::array;
    default:
      return Value::Type::string;
  }
}

}  // namespace

namespace option_detail {

std::string shown(const Value& value) {
  std::string text = value.text();
  if (text.size() <= kLongestShown) return text;
  std::size_t end = kLongestShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + "...";
}

std::string dotted(const std::string& path, const std::string& key) {
  return path.empty() ? key : path + "." + key;
}

std::string joined(std::string first, const std::string& second) {
  if (first.empty() || second.empty()) return first + second;
  return first + (first.back() == '?' ? " " : "; ") + second;
}

std::vector<std::string> names_of(const OptionTable& table) {
  std::vector<std::string> names;
  for (const Option& option : table.options()) names.push_back(option.name);
  return names;
}

const Option* find_with_old_names(const OptionTable& table, const std::string& key) {
  for (const Option& option : table.options()) {
    if (option.name == key) return &option;
    if (std::count(option.old_names.begin(), option.old_names.end(), key)) return &option;
  }
  return nullptr;
}

}  // namespace option_detail

using namespace option_detail;

void OptionWalk::problem(const Origin& origin, const std::string& path, std::string what, std::string hint) {
  std::string where = origin.text();
  // Where there is no line to show, the key's path tells which value is meant.
  if (origin.line == 0 && !path.empty()) where = where.empty() ? path : where + ": " + path;
  problems.push_back({std::move(where), std::move(what), std::move(hint), origin});
}

void OptionWalk::unknown_key(const Value::Entry& entry, const std::vector<std::string>& known,
                             const std::string& path, const std::string& keys_hint) {
  const Origin& origin = entry.key_origin.source.empty() ? entry.value.origin : entry.key_origin;
  problem(origin, dotted(path, entry.key),
          "unknown key: expected " + one_of_text(known) + ", got " + shown(Value(entry.key)),
          joined(did_you_mean(entry.key, known), keys_hint));
}

void OptionWalk::missing(const Option& option, const Value& table, const std::string& path) {
  const bool is_table = option.type.form == Form::table || option.type.form == Form::component;
  std::string hint = is_table ? std::string("[").append(dotted(path, option.name)).append("]")
                              : option.name + " = " + option.type.text();
  if (!option.help.empty()) hint += ": " + option.help;
  problem(table.origin, path, "missing key: expected \"" + option.name + "\", got nothing", std::move(hint));
}

Value OptionWalk::typed(const OptionType& type, const Value& value, const std::string& path,
                        bool non_finite) {
  if (type.form == Form::component) return component(type.component_kind, value, path, {});
  const Value::Type wanted = written_as(type.form);
  const bool whole_number = type.form == Form::real && value.is(Value::Type::integer);
  if (!value.is(wanted) && !whole_number) {
    problem(value.origin, path,
            std::string("wrong value type: expected ") + Value::type_name(wanted) + ", got " +
                Value::type_name(value.type()));
    return value;
  }
  if (type.form == Form::table) return table(*type.nested, value, nullptr, path, {});
  if (type.form == Form::list) {
    Value list{Value::Array{}};
    list.origin = value.origin;
    for (std::size_t i = 0; i < value.as_array().size(); ++i)
      list.as_array().push_back(
          typed(*type.element, value.as_array()[i], path + "[" + std::to_string(i) + "]", non_finite));
    return list;
  }
  if (type.form == Form::path) {
    Value path_value(option_detail::Codec<std::filesystem::path>::from(value).string());
    path_value.origin = value.origin;
    return path_value;
  }
  if (type.form == Form::integer && (value.as_integer() < type.low || value.as_integer() > type.high))
    problem(value.origin, path,
            "out of range: expected an integer from " + std::to_string(type.low) + " to " +
                std::to_string(type.high) + ", got " + shown(value));
  if (type.form == Form::real && !non_finite && !(std::abs(value.as_real()) <= type.largest))
    problem(value.origin, path, "out of range: expected a finite number, got " + shown(value));
  return value;
}

void OptionWalk::conditions(const Option& option, const Value& value, const std::string& path) {
  for (const Check& check : option.checks) {
    if (check.accepts(value)) continue;
    const bool number = value.is(Value::Type::integer) || value.is(Value::Type::real);
    const char* wrong = !check.choices.empty() ? "unknown value" : number ? "out of range" : "wrong value";
    problem(value.origin, path, std::string(wrong) + ": expected " + check.expected + ", got " + shown(value),
            value.is(Value::Type::string) ? did_you_mean(value.as_string(), check.choices) : std::string());
  }
}

Value OptionWalk::option(const Option& option, const Value& value, const std::string& path) {
  const std::size_t before = problems.size();
  const bool non_finite = std::any_of(option.checks.begin(), option.checks.end(),
                                      [](const Check& check) { return check.non_finite; });
  Value result = typed(option.type, value, path, non_finite);
  if (problems.size() == before) conditions(option, result, path);
  return result;
}

Value OptionWalk::table(const OptionTable& table, const Value& value, void* object, const std::string& path,
                        const std::string& keys_hint) {
  if (!value.is(Value::Type::table)) {
    problem(value.origin, path,
            std::string("wrong value type: expected table, got ") + Value::type_name(value.type()));
    return value;
  }
  const std::size_t before = problems.size();
  std::shared_ptr<void> temporary;
  if (!object && !table.whole_checks_.empty() && table.create_) object = (temporary = table.create_()).get();

  Value result = Value::table(), others = Value::table();
  result.origin = others.origin = value.origin;
  std::map<const Option*, std::string> given;
  for (const Value::Entry& entry : value.as_table()) {
    if (entry.value.is(Value::Type::none)) continue;
    const Option* found = find_with_old_names(table, entry.key);
    if (!found && table.open()) {
      others.as_table().push_back(entry);
      continue;
    }
    if (!found) {
      unknown_key(entry, names_of(table), path, keys_hint);
      continue;
    }
    const auto [first, fresh] = given.emplace(found, entry.key);
    if (!fresh) {
      problem(entry.key_origin, dotted(path, entry.key),
              "given twice: expected \"" + found->name + "\" alone, got \"" + first->second + "\" and \"" +
                  entry.key + "\"",
              "an older name of \"" + found->name + "\" is still accepted; keep one");
      continue;
    }
    const std::size_t before_this = problems.size();
    Value checked = option(*found, entry.value, dotted(path, entry.key));
    if (object && problems.size() == before_this) found->assign(object, checked);
    result.as_table().push_back({found->name, entry.key_origin, std::move(checked)});
  }
  for (const Option& option : table.options())
    if (option.required && !given.count(&option)) missing(option, value, path);
  if (table.open()) {
    const Value component = rest(table, std::move(others), object, path);
    for (const Value::Entry& entry : component.as_table()) result.as_table().push_back(entry);
  }
  if (object && problems.size() == before)
    for (const auto& check : table.whole_checks_)
      for (std::string& what : check(object)) problem(value.origin, path, std::move(what));
  return result;
}

// The component that shares the table: its `type` and every key that the table does not declare.
Value OptionWalk::rest(const OptionTable& table, Value keys, void* object, const std::string& path) {
  const std::size_t before = problems.size();
  if (!keys.find("type") && table.create_) {
    const std::string type = table.read_rest_(table.create_().get()).type;
    if (type.empty() && keys.as_table().empty()) return keys;
    if (!type.empty()) {
      Value name(type);
      name.origin.source = "default";
      keys.set("type", std::move(name));
    }
  }
  Value result = component(table.rest_kind_, keys, path, names_of(table));
  if (object && problems.size() == before) {
    Component<void> component{result.find("type")->as_string(), result};
    component.options.erase("type");
    table.assign_rest_(object, std::move(component));
  }
  return result;
}

}  // namespace kinema
