#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

// Private to this plugin: which files belong to which side.
namespace kinema::video_folder {

// [data.*] holdout = {...}: the files that are kept back for testing.
struct Holdout {
  std::optional<double> fraction;
  std::int64_t seed = 1;
  std::string group_regex;
  std::vector<std::string> groups;
  bool asked() const { return fraction || !group_regex.empty() || !groups.empty(); }
};

struct Clip {
  std::string path;  // relative to the root, '/' between folders
  std::int64_t label = 0;
};

// True when `path` matches one of the patterns: fnmatch over the whole relative path, where * also crosses
// '/'.
bool matches_any(const std::vector<std::string>& patterns, const std::string& path);

// For each clip: is it held out? Depends on nothing but the clips and the options.
//   group_regex alone            every clip whose path the expression is found in
//   group_regex and groups       those whose group is listed; the group is the first capture, else the match
//   group_regex and fraction     round(fraction * groups) whole groups, chosen by hash
//   fraction alone               of each class round(fraction * clips), at least 1 and at most all but 1
//   where it
//                                has two or more, chosen by hash
// Throws Error(usage) for a bad expression or combination, Error(data) for clips without a group.
std::vector<bool> held_out(const std::vector<Clip>& clips, const Holdout& holdout);

}  // namespace kinema::video_folder
