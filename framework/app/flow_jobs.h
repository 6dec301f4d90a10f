#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "framework/app/commands.h"
#include "framework/flow/extract.h"

namespace kinema::app {

// The videos that `target` names, and where the flow of each goes: its path without extension, from
//   a folder      that folder: every file in it counts as a video but pictures and hidden ones
//   (data/file_list.h) a .toml file  the root that the data sets share: the rgb of all items of data.train
//   and data.val a list        the folder of the list
// Where two would go to one place, or into one another, they keep their extension. Throws Error(usage) or
// Error(data).
std::vector<flow::FlowJob> flow_jobs(const DataTarget& target);

}  // namespace kinema::app
