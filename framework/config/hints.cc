#include "framework/config/hints.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <optional>
#include <string>

#include "framework/config/sections.h"

namespace kinema::config {
namespace {

// The key that a message is about: `unknown key: expected ..., got "dept"`.
std::string unknown_key(const Problem& problem) {
  constexpr std::string_view kGot = ", got \"";
  if (!problem.what.starts_with("unknown key: ") || !problem.what.ends_with('"')) return {};
  const auto begin = problem.what.rfind(kGot);
  if (begin == std::string::npos) return {};
  return problem.what.substr(begin + kGot.size(), problem.what.size() - begin - kGot.size() - 1);
}

struct Place {
  std::string path;  // of the table
  const Value* table;
};

// The table in which a key was said at an origin.
std::optional<Place> find_place(const Value& value, const std::string& path, const std::string& key,
                                const Problem& problem) {
  const auto below = [&](const std::string& name) { return path.empty() ? name : path + "." + name; };
  if (value.is(Value::Type::array)) {
    for (std::size_t i = 0; i < value.as_array().size(); ++i)
      if (auto place = find_place(value.as_array()[i], below(std::to_string(i)), key, problem)) return place;
    return std::nullopt;
  }
  if (!value.is(Value::Type::table)) return std::nullopt;
  for (const Value::Entry& entry : value.as_table()) {
    const bool here = entry.key == key && entry.key_origin.text() == problem.origin.text();
    if (here && (problem.origin.line > 0 || problem.where.ends_with(below(key)))) return Place{path, &value};
    if (auto place = find_place(entry.value, below(entry.key), key, problem)) return place;
  }
  return std::nullopt;
}

const Value* find_path(const Value& file, std::string_view path) {
  const Value* value = &file;
  while (value && !path.empty()) {
    const auto dot = path.find('.');
    value = value->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
  }
  return value;
}

struct ComponentSection {
  std::string path, kind, default_type;
};

const std::vector<ComponentSection>& component_sections() {
  static const Experiment defaults;
  static const std::vector<ComponentSection> list = {
      {"model", "model", ""},
      {"data.train", "dataset", ""},
      {"data.val", "dataset", ""},
      {"loss", "loss", defaults.loss.type},
      {"optimizer", "optimizer", defaults.optimizer.component.type},
      {"scheduler", "scheduler", ""}};
  return list;
}

std::vector<std::string> owners(const std::string& key, const Value& file, const Catalog* catalog) {
  std::vector<std::string> names;
  for (const Section& section : sections()) {
    const Option* option = section.table->find(key);
    if (!option || option->type.form == OptionType::Form::table ||
        option->type.form == OptionType::Form::component)
      continue;
    names.push_back(section.name.empty() ? "at the " + section.help : "in [" + section.name + "]");
  }
  if (!catalog) return names;
  for (const ComponentSection& section : component_sections()) {
    const Value* type = find_path(file, section.path + ".type");
    const bool named = type && type->is(Value::Type::string);
    const ComponentInfo* info = catalog->find(section.kind, named ? type->as_string() : section.default_type);
    if (info && info->options.find(key)) names.push_back("in [" + section.path + "]");
  }
  return names;
}

}  // namespace

void add_whole_file_hints(const Value& file, const Catalog* catalog, std::vector<Problem>& problems) {
  for (Problem& problem : problems) {
    const std::string key = unknown_key(problem);
    if (key.empty()) continue;
    const auto place = find_place(file, {}, key, problem);
    const Value* type = place ? place->table->find("type") : nullptr;
    const std::vector<std::string> names = owners(key, file, catalog);
    if (!names.empty())
      problem.hint = fmt::format("\"{}\" belongs {}", key, fmt::join(names, " or "));
    else if (type && type->is(Value::Type::string) && type->origin.source != problem.origin.source)
      problem.hint = fmt::format("{} says type = {}; `~{}.{}` removes a key that was meant for another type",
                                 type->origin.text(), type->text(), place->path, key);
  }
}

}  // namespace kinema::config
