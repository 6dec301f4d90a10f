#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "annotations/clip_list.h"
#include "kinema/options.h"

// Which clips belong to which side, for data sets without lists.
namespace kinema::annotations {

// [data.*] holdout = {...}: the files that are kept back for testing.
struct Holdout {
  std::optional<double> fraction;
  std::int64_t seed = 1;
  std::string group_regex;
  std::vector<std::string> groups;
  bool asked() const { return fraction || !group_regex.empty() || !groups.empty(); }
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
std::vector<bool> held_out(const Clips& clips, const Holdout& holdout);

// The keys of the table `holdout`.
Options<Holdout> holdout_options();
// What is wrong with `subset` beside `holdout` (each needs the other), as problems of data set `name`.
void check_subset(const Holdout& holdout, const std::optional<std::string>& subset, const std::string& name,
                  std::vector<Problem>& problems);

// Keeps what matches a pattern of `include` (empty: everything) and none of `exclude`, and of that the side
// of the holdout. Throws Error(data) naming `root` when nothing is left.
struct Side {
  std::vector<std::string> include, exclude;
  Holdout holdout;
  std::optional<std::string> subset;
};
void keep_side(const Side& side, const std::string& root, Clips& clips);

}  // namespace kinema::annotations
