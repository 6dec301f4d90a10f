#include "annotations/holdout.h"

#include <fnmatch.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <regex>
#include <set>

#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::annotations {
namespace {

constexpr const char* kWhere = "holdout";

// The standard library compiles by recursion: a long expression would overflow the stack.
constexpr std::size_t kLongestRegex = 1000;

std::regex compiled(const std::string& text) {
  if (text.size() > kLongestRegex)
    throw Error(ErrorKind::usage, kWhere,
                "group_regex is too long: expected at most " + std::to_string(kLongestRegex) +
                    " bytes, got " + std::to_string(text.size()));
  try {
    return std::regex(text);
  } catch (const std::regex_error& error) {
    throw Error(ErrorKind::usage, kWhere,
                "group_regex = \"" + text + "\": expected an ECMAScript regular expression, got \"" +
                    error.what() + "\"");
  }
}

// Names in an order that looks random and depends on the seed and the names alone.
std::vector<std::string> by_hash(std::vector<std::string> names, std::int64_t seed) {
  const auto key = [seed](const std::string& name) {
    return Random(static_cast<std::uint64_t>(seed), 0, 0, name).bits();
  };
  std::sort(names.begin(), names.end(), [&](const std::string& a, const std::string& b) {
    return std::pair(key(a), a) < std::pair(key(b), b);
  });
  return names;
}

std::int64_t share_of(double fraction, std::size_t count) {
  if (count < 2) return 0;
  const auto wanted = std::llround(fraction * static_cast<double>(count));
  return std::clamp<std::int64_t>(wanted, 1, static_cast<std::int64_t>(count) - 1);
}

std::vector<bool> by_class_fraction(const Clips& clips, const Holdout& holdout) {
  std::map<std::int64_t, std::vector<std::string>> of_class;
  for (std::size_t i = 0; i < clips.size(); ++i) of_class[clips.label(i)].emplace_back(clips.path(i));
  std::set<std::string, std::less<>> chosen;
  for (auto& [label, paths] : of_class) {
    const std::int64_t count = share_of(*holdout.fraction, paths.size());
    const std::vector<std::string> order = by_hash(std::move(paths), holdout.seed);
    chosen.insert(order.begin(), order.begin() + count);
  }
  std::vector<bool> held;
  for (std::size_t i = 0; i < clips.size(); ++i) held.push_back(chosen.contains(clips.path(i)));
  return held;
}

// The group of each clip; every clip must have one.
std::vector<std::string> groups_of(const Clips& clips, const Holdout& holdout, const std::regex& regex) {
  std::vector<std::string> groups;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < clips.size(); ++i) {
    const std::string path(clips.path(i));
    std::smatch match;
    const bool found = std::regex_search(path, match, regex);
    if (!found && problems.size() < 10)
      problems.push_back(
          {path,
           "no group: expected a match of group_regex = \"" + holdout.group_regex + "\", got none",
           "exclude the file or widen the expression",
           {}});
    groups.push_back(!found ? "" : match.size() > 1 ? match[1].str() : match[0].str());
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return groups;
}

std::set<std::string> chosen_groups(const std::vector<std::string>& all, const Holdout& holdout) {
  const std::set<std::string> known(all.begin(), all.end());
  if (holdout.fraction) {
    const std::int64_t count = share_of(*holdout.fraction, known.size());
    const std::vector<std::string> order = by_hash({known.begin(), known.end()}, holdout.seed);
    return {order.begin(), order.begin() + count};
  }
  std::vector<Problem> problems;
  for (const std::string& group : holdout.groups)
    if (!known.contains(group)) {
      std::string list;
      for (const std::string& name : known) list += (list.empty() ? "" : ", ") + name;
      problems.push_back(
          {kWhere, "unknown group: expected one of " + list + ", got \"" + group + "\"", {}, {}});
    }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return {holdout.groups.begin(), holdout.groups.end()};
}

}  // namespace

bool matches_any(const std::vector<std::string>& patterns, const std::string& path) {
  return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
    return fnmatch(pattern.c_str(), path.c_str(), 0) == 0;
  });
}

std::vector<bool> held_out(const Clips& clips, const Holdout& holdout) {
  if (!holdout.groups.empty() && holdout.group_regex.empty())
    throw Error(ErrorKind::usage, kWhere, "missing key: expected group_regex beside groups, got none",
                "which part of a path is its group?");
  if (!holdout.groups.empty() && holdout.fraction)
    throw Error(ErrorKind::usage, kWhere, "exclusive keys: expected groups or fraction, got both");
  if (holdout.group_regex.empty()) return by_class_fraction(clips, holdout);

  const std::regex regex = compiled(holdout.group_regex);
  std::vector<bool> held;
  if (holdout.groups.empty() && !holdout.fraction) {
    for (std::size_t i = 0; i < clips.size(); ++i)
      held.push_back(std::regex_search(std::string(clips.path(i)), regex));
    return held;
  }
  const std::vector<std::string> groups = groups_of(clips, holdout, regex);
  const std::set<std::string> chosen = chosen_groups(groups, holdout);
  for (const std::string& group : groups) held.push_back(chosen.contains(group));
  return held;
}

Options<Holdout> holdout_options() {
  return Options<Holdout>()
      .add("fraction", &Holdout::fraction, "share of each class, or of the groups, that is kept back",
           above(0), at_most(0.9))
      .add("seed", &Holdout::seed, "another number chooses others")
      .add("group_regex", &Holdout::group_regex,
           "found in the relative path: the file is kept back; with groups or fraction its first capture "
           "names the group")
      .add("groups", &Holdout::groups, "groups that are kept back");
}

void check_subset(const Holdout& holdout, const std::optional<std::string>& subset, const std::string& name,
                  std::vector<Problem>& problems) {
  if (holdout.asked() && !subset)
    problems.push_back({name,
                        "missing key: expected subset beside holdout, got none",
                        "which side is this? subset = \"train\" or subset = \"test\"",
                        {}});
  if (!holdout.asked() && subset)
    problems.push_back({name,
                        "missing key: expected holdout beside subset, got none",
                        "what is kept back for testing? holdout = { fraction = 0.2 }",
                        {}});
}

void keep_side(const Side& side, const std::string& root, Clips& clips) {
  const std::size_t all = clips.size();
  if (!side.include.empty() || !side.exclude.empty())
    clips.keep_if([&](std::size_t i) {
      const std::string path(clips.path(i));
      return (side.include.empty() || matches_any(side.include, path)) && !matches_any(side.exclude, path);
    });
  if (side.holdout.asked()) {
    const std::vector<bool> held = held_out(clips, side.holdout);
    const bool wanted = side.subset == "test";
    clips.keep_if([&](std::size_t i) { return held[i] == wanted; });
  }
  if (clips.empty())
    throw Error(ErrorKind::data, root,
                "no video is left: expected some after include, exclude and holdout, got none of " +
                    std::to_string(all));
}

}  // namespace kinema::annotations
