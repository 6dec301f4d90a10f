#pragma once

#include <vector>

#include "framework/config/experiment.h"

namespace kinema::config {

// Checks [clip], [clip.train] and [clip.eval] and puts the two merged tables, `train` and `eval`, in their
// place. A resize in an override displaces the short_side below it, and the other way round. With problems
// the section is removed: they have been reported.
void merge_clip_section(Value& file, std::vector<Problem>& problems);

// What no single key shows: a crop larger than what it is cut from.
void check_clip(const ClipOptions& clip, const Value& table, std::vector<Problem>& problems);

// Adds a problem when a table has both keys.
void check_exclusive(const Value& table, const std::string& path, const std::string& first,
                     const std::string& second, std::vector<Problem>& problems);

}  // namespace kinema::config
