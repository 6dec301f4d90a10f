#include <algorithm>

#include "kinema/suggest.h"
#include "option_walk.h"

namespace kinema {
namespace {

bool same_component(const Value& a, const Value& b) {
  const Value* theirs = b.find("type");
  return !theirs || (a.find("type") && *a.find("type") == *theirs);
}

// Keys of `over` win; tables are merged unless they name another component.
void overlay(Value& under, const Value& over) {
  for (const Value::Entry& entry : over.as_table()) {
    Value* there = under.find(entry.key);
    const bool tables = there && there->is(Value::Type::table) && entry.value.is(Value::Type::table);
    if (tables && same_component(*there, entry.value)) {
      overlay(*there, entry.value);
      continue;
    }
    under.erase(entry.key);
    under.as_table().push_back(entry);
  }
}

std::string described(std::string_view kind, const std::string& type) {
  return "`kinema describe " + std::string(kind) + " " + type + "` lists its keys";
}

}  // namespace

using namespace option_detail;

Value OptionWalk::component(std::string_view kind, const Value& value, const std::string& path,
                            const std::vector<std::string>& more_keys) {
  const std::string kind_text(kind);
  if (!value.is(Value::Type::table)) {
    problem(
        value.origin, path,
        std::string("wrong value type: expected table with \"type\", got ") + Value::type_name(value.type()),
        "write { type = \"...\" } with the name of a " + kind_text);
    return value;
  }
  const Value* type = value.find("type");
  if (!type) {
    problem(value.origin, path, "missing key: expected \"type\", got nothing",
            "type = name of a " + kind_text + "; `kinema list` shows them");
    return value;
  }
  if (!type->is(Value::Type::string)) {
    problem(type->origin, dotted(path, "type"),
            std::string("wrong value type: expected string, got ") + Value::type_name(type->type()));
    return value;
  }
  if (!catalog) return value;
  const ComponentInfo* info = catalog->find(kind, type->as_string());
  if (!info) {
    std::vector<std::string> names;
    for (const ComponentInfo* other : catalog->all(kind)) names.push_back(other->type);
    std::sort(names.begin(), names.end());
    problem(type->origin, dotted(path, "type"),
            "unknown " + kind_text + ": expected " + one_of_text(names) + ", got " + shown(*type),
            joined(did_you_mean(type->as_string(), names), "`kinema list` shows where it was looked for"));
    return value;
  }

  const std::size_t before = problems.size();
  Value keys = value;
  keys.erase("type");
  keys = with_preset(*info, std::move(keys), path);
  if (problems.size() != before) keys.erase("preset");
  if (!info->options.open()) {
    std::vector<std::string> known = names_of(info->options);
    if (!info->presets.empty()) known.push_back("preset");
    known.insert(known.end(), more_keys.begin(), more_keys.end());
    std::erase_if(keys.as_table(), [&](const Value::Entry& entry) {
      if (find_with_old_names(info->options, entry.key)) return false;
      unknown_key(entry, known, path, described(kind, info->type));
      return true;
    });
  }
  const Value checked = table(info->options, keys, nullptr, path, described(kind, info->type));
  Value result = Value::table();
  result.origin = value.origin;
  for (const Value::Entry& entry : value.as_table())
    if (entry.key == "type") result.as_table().push_back(entry);
  for (const Value::Entry& entry : checked.as_table()) result.as_table().push_back(entry);
  return result;
}

Value OptionWalk::with_preset(const ComponentInfo& info, Value keys, const std::string& path) {
  const Value* name = keys.find("preset");
  if (!name || info.options.find("preset")) return keys;
  if (!name->is(Value::Type::string)) {
    problem(name->origin, dotted(path, "preset"),
            std::string("wrong value type: expected string, got ") + Value::type_name(name->type()));
    return keys;
  }
  std::vector<std::string> names;
  for (const Preset& preset : info.presets) names.push_back(preset.name);
  const auto found = std::find(names.begin(), names.end(), name->as_string());
  if (found == names.end()) {
    problem(name->origin, dotted(path, "preset"),
            "unknown preset: expected " + one_of_text(names) + ", got " + shown(*name),
            joined(did_you_mean(name->as_string(), names),
                   names.empty() ? info.kind + " " + info.type + " has no presets"
                                 : "`kinema describe " + info.kind + " " + info.type + "` lists them"));
    return keys;
  }
  Value merged = info.presets[static_cast<std::size_t>(found - names.begin())].options;
  if (merged.is(Value::Type::none)) merged = Value::table();
  merged.set_origin(Origin{"preset " + *found, 0, 0, {}});
  merged.origin = keys.origin;
  keys.erase("preset");
  for (const Value::Entry& entry : keys.as_table())
    if (const Option* option = find_with_old_names(info.options, entry.key);
        option && option->name != entry.key)
      merged.erase(option->name);
  overlay(merged, keys);
  return merged;
}

Value check_component(const Value& table, std::string_view kind, const Catalog& catalog,
                      const std::string& path, std::vector<Problem>& problems) {
  return OptionWalk{&catalog, problems}.component(kind, table, path, {});
}

}  // namespace kinema
