#include "framework/plugin/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <exception>
#include <new>

#include "framework/plugin/library.h"
#include "framework/plugin/search_path.h"
#include "framework/plugin/staging.h"
#include "kinema/plugin.h"
#include "kinema/suggest.h"

namespace kinema::plugin {
namespace {

constexpr const char* kFault = "this is a fault of the plugin: tell its author";

// "plugin resnet3d", or with the component where the names differ: "plugin my_nets: model fast_net".
std::string plugin_text(const std::string& plugin, const ComponentInfo& info) {
  if (plugin.empty()) return info.kind + ' ' + info.type;
  if (plugin == info.type) return "plugin " + plugin;
  return fmt::format("plugin {}: {} {}", plugin, info.kind, info.type);
}

}  // namespace

void Registry::register_builtins(const std::function<void(Registrar&)>& register_components,
                                 const std::string& library) {
  std::deque<Registration> staged = stage(register_components, library);
  std::vector<Problem> problems = check_staged(staged, *this, library);
  if (!problems.empty()) throw Error(ErrorKind::plugin, std::move(problems));
  merge(std::move(staged), library, {});
}

void Registry::load(const std::vector<std::filesystem::path>& files) {
  for (const std::filesystem::path& path : files) {
    Library library;
    library.path = path.string();
    const std::size_t seen = seen_.size();
    try {
      load_one(path, library);
      if (seen_.size() == seen) continue;  // the same file again
    } catch (const Error& error) {
      library.reasons = error.problems();
    }
    libraries_.push_back(std::move(library));
  }
}

void Registry::load(const SearchResult& search) {
  for (const RefusedPlace& place : search.refused) {
    Library library;
    library.path = place.path;
    library.reasons = {place.reason};
    libraries_.push_back(std::move(library));
  }
  load(search.files);
}

void Registry::load_one(const std::filesystem::path& path, Library& library) {
  const CheckedLibrary checked = check_library(path);
  const std::pair<std::uint64_t, std::uint64_t> id{checked.facts().st_dev, checked.facts().st_ino};
  if (std::find(seen_.begin(), seen_.end(), id) != seen_.end()) return;
  seen_.push_back(id);
  const KinemaPluginDescriptor& descriptor = load_library(checked);
  library.name = descriptor.name;
  library.version = descriptor.version;
  library.about = descriptor.about;
  std::deque<Registration> staged = stage(descriptor.register_components, library.path);
  std::vector<Problem> problems = check_staged(staged, *this, library.path);
  if (!problems.empty()) throw Error(ErrorKind::plugin, std::move(problems));
  for (const Registration& registration : staged)
    library.components.emplace_back(registration.info.kind, registration.info.type);
  merge(std::move(staged), library.path, library.name);
}

void Registry::merge(std::deque<Registration> staged, const std::string& library, const std::string& plugin) {
  for (Registration& registration : staged) {
    registration.info.library = library;
    std::pair<std::string, std::string> key{registration.info.kind, registration.info.type};
    entries_.emplace(std::move(key), Entry{std::move(registration), plugin});
  }
}

const ComponentInfo* Registry::find(std::string_view kind, std::string_view type) const {
  const auto found = entries_.find({std::string(kind), std::string(type)});
  return found == entries_.end() ? nullptr : &found->second.registration.info;
}

std::vector<const ComponentInfo*> Registry::all(std::string_view kind) const {
  std::vector<const ComponentInfo*> list;
  for (const auto& [key, entry] : entries_)
    if (key.first == kind) list.push_back(&entry.registration.info);
  return list;
}

FoundPreset Registry::find_preset(std::string_view name, std::string_view kind) const {
  std::vector<FoundPreset> found;
  std::vector<std::string> names, owners;
  for (const ComponentInfo* info : all(kind))
    for (const Preset& preset : info->presets) {
      names.push_back(preset.name);
      if (preset.name != name) continue;
      found.push_back({info, &preset});
      owners.push_back(info->type);
    }
  if (found.size() == 1) return found.front();
  const std::string where = fmt::format("preset {}", name);
  if (found.empty())
    throw Error(ErrorKind::usage, where,
                fmt::format("unknown preset: expected {}, got \"{}\"", one_of_text(names), name),
                did_you_mean(name, names));
  throw Error(
      ErrorKind::usage, where,
      fmt::format("ambiguous preset: expected one {} that has it, got {}", kind, fmt::join(owners, ", ")),
      fmt::format("name the {} with type = and the preset with preset =", kind));
}

std::shared_ptr<void> Registry::make_any(std::string_view kind, const std::string& type, const Value& options,
                                         Context& context, const std::string& where) const {
  Value table = options;
  table.set("type", Value(type));
  std::vector<Problem> problems;
  Value checked = check_component(table, kind, *this, where, problems);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  checked.erase("type");
  return call_factory(entries_.at({std::string(kind), type}), checked, context);
}

std::shared_ptr<void> Registry::call_factory(const Entry& entry, const Value& options,
                                             Context& context) const {
  const ComponentInfo& info = entry.registration.info;
  const std::string who = plugin_text(entry.plugin, info);
  std::shared_ptr<void> component;
  try {
    component = entry.registration.make(options, context);
  } catch (const Error& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      // The innermost component that failed has been named already.
      if (problem.where.starts_with("plugin ") || problem.origin.line > 0) continue;
      problem.where = problem.where.empty() || problem.where == who ? who : who + ": " + problem.where;
    }
    throw Error(error.kind(), std::move(problems));
  } catch (const std::bad_alloc&) {
    throw Error(ErrorKind::run, who, "out of memory while it was built");
  } catch (...) {
    throw Error(ErrorKind::plugin, who, "its factory threw " + describe_exception(), kFault);
  }
  if (!component)
    throw Error(ErrorKind::plugin, who,
                fmt::format("expected a {} from its factory, got a null pointer", info.kind), kFault);
  return component;
}

}  // namespace kinema::plugin
