#include "framework/plugin/describe.h"

#include <fmt/format.h>

#include <string_view>
#include <utility>

#include "framework/plugin/columns.h"
#include "framework/plugin/kinds.h"

namespace kinema::plugin {
namespace {

using Form = OptionType::Form;

std::string type_text(const OptionType& type) {
  if (type.form == Form::component) return type.component_kind + " component";
  if (type.form == Form::list && type.element->form == Form::component)
    return fmt::format("list of {} components", type.element->component_kind);
  return type.text();
}

std::string component_kind(const OptionType& type) {
  return type.form == Form::list ? component_kind(*type.element) : type.component_kind;
}

std::string allowed_text(const Option& option) {
  std::vector<std::string> texts;
  for (const Check& check : option.checks) texts.push_back(check.expected);
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string default_text(const Option& option) {
  if (option.required || option.type.form == Form::table) return {};
  return option.default_value.is(Value::Type::none) ? "none" : option.default_value.text();
}

void add_rows(const OptionTable& table, const std::string& prefix, int depth, std::vector<OptionRow>& rows) {
  for (const Option& option : table.options()) {
    OptionRow row;
    row.path = prefix + option.name;
    row.depth = depth;
    row.type = type_text(option.type);
    row.required = option.required;
    row.default_value = default_text(option);
    row.allowed = allowed_text(option);
    row.help = option.help;
    row.component_kind = component_kind(option.type);
    row.old_names = option.old_names;
    rows.push_back(std::move(row));
    if (option.type.nested) add_rows(*option.type.nested, prefix + option.name + '.', depth + 1, rows);
  }
}

// Something of the right type that a reader replaces.
std::string placeholder(const Option& option) {
  for (const Check& check : option.checks)
    if (!check.choices.empty())
      return option.type.form == Form::string || option.type.form == Form::choice
                 ? Value(check.choices.front()).text()
                 : check.choices.front();
  switch (option.type.form) {
    case Form::boolean:
      return "false";
    case Form::integer:
      return "1";
    case Form::real:
      return "1.0";
    case Form::component:
      return "{ type = \"...\" }";
    case Form::list:
      return option.type.element->form == Form::component ? "[{ type = \"...\" }]" : "[]";
    default:
      return "\"...\"";
  }
}

void add_example(const OptionTable& table, const std::string& path, std::string& text) {
  for (const Option& option : table.options()) {
    if (option.type.form == Form::table) continue;  // plain keys come first: TOML has no way back
    if (option.required)
      text += fmt::format("{} = {}  # required\n", option.name, placeholder(option));
    else if (option.default_value.is(Value::Type::none))
      text += fmt::format("# {} = {}\n", option.name, placeholder(option));
    else
      text += fmt::format("{} = {}\n", option.name, option.default_value.text());
  }
  for (const Option& option : table.options()) {
    if (option.type.form != Form::table) continue;
    const std::string inner = path + '.' + option.name;
    text += fmt::format("[{}]\n", inner);
    add_example(*option.type.nested, inner, text);
  }
}

std::string options_text(const OptionTable& table) {
  std::vector<std::vector<std::string>> cells{{"option", "type", "default", "allowed", "help"}};
  for (const OptionRow& row : option_rows(table)) {
    const std::string name = row.path.substr(row.path.rfind('.') + 1);
    std::string help = row.help;
    if (!row.old_names.empty()) help += fmt::format(" (was {})", fmt::join(row.old_names, ", "));
    cells.push_back({std::string(static_cast<std::size_t>(2 * row.depth), ' ') + name, row.type,
                     row.required ? "required" : row.default_value, row.allowed, help});
  }
  std::string text = cells.size() == 1 ? "options: none\n" : "options:\n" + columns_text(cells, 2);
  if (table.open()) text += fmt::format("  and the keys of a {} named by type\n", table.rest_kind());
  return text;
}

std::string reasons_text(const Library& library) {
  std::string text = fmt::format("  {}\n", library.path);
  for (const Problem& reason : library.reasons) {
    // The path stands above already.
    const bool plain = reason.where.empty() || reason.where == library.path;
    text += fmt::format("    {}{}\n", plain ? "" : reason.where + ": ", reason.what);
    if (!reason.hint.empty()) text += fmt::format("    hint: {}\n", reason.hint);
  }
  return text;
}

std::string refused_text(const Registry& registry) {
  std::string text;
  for (const Library& library : registry.libraries())
    if (!library.loaded()) text += reasons_text(library);
  return text.empty() ? text : "refused libraries:\n" + text;
}

}  // namespace

std::vector<OptionRow> option_rows(const OptionTable& table) {
  std::vector<OptionRow> rows;
  add_rows(table, {}, 0, rows);
  return rows;
}

std::string example_toml(const ComponentInfo& info) {
  for (const KindPlace& place : kKinds) {
    if (place.kind != info.kind) continue;
    std::string text = fmt::format("{}\ntype = {}\n", place.header, Value(info.type).text());
    add_example(info.options, std::string(place.path), text);
    return text;
  }
  return {};
}

std::string describe_text(const ComponentInfo& info) {
  std::string text = fmt::format("{} {}: {}\nlibrary: {}\n\n", info.kind, info.type, info.help, info.library);
  text += options_text(info.options);
  if (!info.presets.empty()) {
    std::vector<std::vector<std::string>> cells;
    for (const Preset& preset : info.presets)
      cells.push_back({preset.name, preset.options.text(), preset.help});
    text += "\npresets:\n" + columns_text(cells, 2);
  }
  return text + "\nexample:\n" + example_toml(info);
}

std::string list_text(const Registry& registry, std::string_view kind) {
  std::string text;
  for (const KindPlace& place : kKinds) {
    if (!kind.empty() && place.kind != kind) continue;
    std::vector<std::vector<std::string>> cells;
    for (const ComponentInfo* info : registry.all(place.kind))
      cells.push_back({info->type, info->help, info->library});
    if (!cells.empty()) text += fmt::format("{}:\n{}", place.kind, columns_text(cells, 2));
  }
  if (text.empty()) text = kind.empty() ? "no components\n" : fmt::format("no component of kind {}\n", kind);
  return text + refused_text(registry);
}

std::string libraries_text(const Registry& registry) {
  std::string text;
  for (const Library& library : registry.libraries()) {
    if (!library.loaded()) continue;
    text += fmt::format("{} {}: {}\n  {}\n", library.name, library.version, library.about, library.path);
    for (const auto& [kind, type] : library.components) text += fmt::format("  {} {}\n", kind, type);
  }
  if (text.empty()) text = "no libraries loaded\n";
  return text + refused_text(registry);
}

}  // namespace kinema::plugin
