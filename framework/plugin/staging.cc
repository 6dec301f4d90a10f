#include "framework/plugin/staging.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <memory>
#include <set>
#include <string_view>
#include <typeinfo>
#include <utility>

#include "framework/plugin/kinds.h"

namespace kinema::plugin {
namespace {

std::vector<std::string_view> kind_names() {
  std::vector<std::string_view> names;
  for (const KindPlace& place : kKinds) names.push_back(place.kind);
  return names;
}

// A deque: add() hands out references.
class StagingRegistrar final : public Registrar {
 public:
  std::deque<Registration> take() { return std::move(staged_); }

 protected:
  Registration& add_any(Registration registration) override {
    return staged_.emplace_back(std::move(registration));
  }

 private:
  std::deque<Registration> staged_;
};

bool is_snake_case(std::string_view name) {
  if (name.empty() || name.front() < 'a' || name.front() > 'z') return false;
  return std::all_of(name.begin(), name.end(),
                     [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; });
}

// Collects what is wrong with one component.
struct Inspector {
  const std::string& where;
  std::vector<Problem>& problems;
  std::string component;  // "model resnet3d"

  void add(std::string what) {
    problems.push_back({where, component.empty() ? std::move(what) : component + ": " + what, {}, {}});
  }

  void check_name(std::string_view what, const std::string& name) {
    if (!is_snake_case(name)) add(fmt::format("bad {}: expected snake_case, got \"{}\"", what, name));
  }

  void check_default(const Option& option, const std::string& path) {
    if (option.default_value.is(Value::Type::none)) return;
    for (const Check& check : option.checks) {
      bool accepted = false;
      try {
        accepted = check.accepts(option.default_value);
      } catch (...) {
        add(fmt::format("option {}: the check of its default threw {}", path, describe_exception()));
        continue;
      }
      if (!accepted)
        add(fmt::format("option {}: its default fails its own check: expected {}, got {}", path,
                        check.expected, option.default_value.text()));
    }
  }

  void check_options(const OptionTable& table, const std::string& prefix) {
    std::set<std::string> seen;
    for (const Option& option : table.options()) {
      const std::string path = prefix + option.name;
      check_name("option name", option.name);
      if (prefix.empty() && (option.name == "type" || option.name == "preset"))
        add(fmt::format("option {}: the name belongs to the host", path));
      if (!seen.insert(option.name).second) add(fmt::format("option {}: declared twice", path));
      check_default(option, path);
      if (option.type.nested) check_options(*option.type.nested, path + '.');
    }
  }

  void check_preset(const ComponentInfo& info, const Preset& preset) {
    check_name("preset name", preset.name);
    // A preset need not give what is required: those problems are there without it, too.
    std::vector<Problem> without, with;
    info.options.parse(Value::table(), nullptr, nullptr, {}, without);
    info.options.parse(preset.options, nullptr, nullptr, {}, with);
    for (const Problem& problem : with) {
      const auto same = [&](const Problem& p) { return p.what == problem.what && p.where == problem.where; };
      if (std::any_of(without.begin(), without.end(), same)) continue;
      add(fmt::format("preset {}: {}{}{}", preset.name, problem.where, problem.where.empty() ? "" : ": ",
                      problem.what));
    }
  }

  // The conditions on the whole struct. They need an object, which exists only without required options.
  void check_whole(const OptionTable& table) {
    for (const Option& option : table.options())
      if (option.required) return;
    if (table.open()) return;
    std::vector<Problem> found;
    table.parse(Value::table(), nullptr, nullptr, {}, found);
    for (const Problem& problem : found) add("its defaults fail its own check: " + problem.what);
  }

  void check_component(const Registration& registration) {
    const ComponentInfo& info = registration.info;
    const auto kinds = kind_names();
    if (std::find(kinds.begin(), kinds.end(), info.kind) == kinds.end())
      add(fmt::format("unknown kind: expected one of {}, got \"{}\"", fmt::join(kinds, ", "), info.kind));
    check_name("type name", info.type);
    if (!registration.make) add("no factory: expected a function, got none");
    check_options(info.options, {});
    check_whole(info.options);
    std::set<std::string> seen;
    for (const Preset& preset : info.presets) {
      if (!seen.insert(preset.name).second) add(fmt::format("preset {}: declared twice", preset.name));
      check_preset(info, preset);
    }
  }
};

}  // namespace

std::string describe_exception() {
  const std::type_info* type = abi::__cxa_current_exception_type();
  std::string name = "an unknown exception";
  if (type) {
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(type->name(), nullptr, nullptr, &status), &std::free);
    name = text ? text.get() : type->name();
  }
  try {
    throw;
  } catch (const std::exception& error) {
    std::string_view text = error.what();
    // Torch adds the place in its sources and a stack trace.
    text = text.substr(0, text.find("\nException raised from "));
    return fmt::format("{}: {}", name, text);
  } catch (...) {
    return name;
  }
}

std::deque<Registration> stage(const std::function<void(Registrar&)>& register_components,
                               const std::string& where) {
  StagingRegistrar registrar;
  try {
    register_components(registrar);
  } catch (const Error& error) {
    std::vector<Problem> problems = error.problems();
    for (Problem& problem : problems) {
      problem.what = fmt::format("registration failed: {}{}{}", problem.where,
                                 problem.where.empty() ? "" : ": ", problem.what);
      problem.where = where;
    }
    throw Error(ErrorKind::plugin, std::move(problems));
  } catch (...) {
    throw Error(ErrorKind::plugin, where, "registration threw " + describe_exception(),
                "this is a fault of the library: tell its author");
  }
  return registrar.take();
}

std::vector<Problem> check_staged(const std::deque<Registration>& staged, const Catalog& catalog,
                                  const std::string& where) {
  std::vector<Problem> problems;
  Inspector inspector{where, problems, {}};
  if (staged.empty()) inspector.add("registers nothing: expected at least one component, got none");
  std::set<std::pair<std::string, std::string>> own;
  for (const Registration& registration : staged) {
    const ComponentInfo& info = registration.info;
    inspector.component = info.kind + ' ' + info.type;
    try {
      inspector.check_component(registration);
    } catch (...) {
      inspector.add("the checks of its options threw " + describe_exception());
    }
    if (!own.emplace(info.kind, info.type).second)
      inspector.add("registered twice by this library");
    else if (const ComponentInfo* other = catalog.find(info.kind, info.type))
      inspector.add(fmt::format("the name is taken by {}", other->library));
  }
  return problems;
}

}  // namespace kinema::plugin
