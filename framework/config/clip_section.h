#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "framework/config/experiment.h"

namespace kinema::config {

// Checks [clip], [clip.train] and [clip.eval] and puts the two merged tables, `train` and `eval`, in their
// place. A resize in an override displaces the short_side below it, and the other way round. A key that acts
// nowhere is a problem: one of the other use, or one that a list of transforms stands for. With problems
// the section is removed: they have been reported.
void merge_clip_section(Value& file, std::vector<Problem>& problems);

// The keys of [clip.<use>] that [[transform.<use>]] stands for: resize, short_side, crop and flip, with a
// `normalise` in the list mean and std too; none where the file has no such list.
std::set<std::string> replaced_by_transforms(const Value& file, const std::string& use);

// The keys of [clip.<use>] that do nothing beside its sampling and its rule, each with what it stands beside.
std::map<std::string, std::string> idle_beside_sampling(const Value& file, const std::string& use);

// What no single key shows: a crop larger than what it is cut from, a sampling that the rule does not know.
void check_clip(const ClipOptions& clip, const std::string& use, const Value& table,
                std::vector<Problem>& problems);

// Adds a problem when a table has both keys.
void check_exclusive(const Value& table, const std::string& path, const std::string& first,
                     const std::string& second, std::vector<Problem>& problems);

}  // namespace kinema::config
