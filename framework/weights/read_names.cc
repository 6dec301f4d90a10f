#include "framework/weights/read_names.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "kinema/error.h"

namespace kinema::weights {
namespace {

struct Reading {
  std::string map;
  std::vector<std::string> names;  // of all tensors, in order
  std::vector<std::pair<std::string, double>> constants;
  std::size_t known = 0;  // names that the model has
};

std::vector<std::string> rewritten(std::vector<std::string> names, const KeyMap& map) {
  for (const auto& [pattern, replacement] : map.rewrites) {
    const std::regex expression(pattern, std::regex::ECMAScript | std::regex::optimize);
    for (std::string& name : names) name = std::regex_replace(name, expression, replacement);
  }
  return names;
}

Reading best_reading(const Model& model, const std::vector<std::string>& names) {
  std::set<std::string> own;
  for (const NamedTensor& named : model.state()) own.insert(named.name);
  const auto known = [&](const std::vector<std::string>& all) {
    return static_cast<std::size_t>(
        std::count_if(all.begin(), all.end(), [&](const std::string& name) { return own.contains(name); }));
  };
  Reading best{"", names, {}, known(names)};
  const auto* maps = dynamic_cast<const HasKeyMaps*>(&model);
  if (maps == nullptr || best.known == own.size()) return best;
  for (KeyMap& map : maps->checkpoint_key_maps()) {
    if (map.rewrites.empty() && map.constants.empty()) continue;
    Reading reading{map.name, rewritten(names, map), std::move(map.constants), 0};
    reading.known = known(reading.names);
    if (reading.known > best.known) best = std::move(reading);
  }
  return best;
}

void check_unique(const Reading& reading, const std::vector<NamedTensor>& given, const std::string& where) {
  std::map<std::string, std::string> foreign;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < given.size(); ++i)
    if (const auto [first, fresh] = foreign.emplace(reading.names[i], given[i].name);
        !fresh && !reading.names[i].empty())
      problems.push_back(
          {where,
           fmt::format("one name for two tensors: expected \"{}\" once, got it from \"{}\" and "
                       "from \"{}\"",
                       reading.names[i], first->second, given[i].name),
           {},
           {}});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
}

}  // namespace

ReadNames read_names(const Model& model, std::vector<NamedTensor> given, const std::string& where) {
  std::vector<std::string> names;
  for (const NamedTensor& named : given) names.push_back(named.name);
  Reading best = best_reading(model, names);
  check_unique(best, given, where);
  for (std::size_t i = 0; i < given.size(); ++i) given[i].name = std::move(best.names[i]);
  std::erase_if(given, [](const NamedTensor& named) { return named.name.empty(); });
  return {std::move(best.map), std::move(given), std::move(best.constants)};
}

}  // namespace kinema::weights
