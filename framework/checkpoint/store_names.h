#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "framework/checkpoint/file_system.h"

// How the names in a folder of checkpoints are read: `NAME` is a checkpoint, `NAME.tmp-PID` is unfinished or
// on its way out, `NAME.old-PID` is what a replacement of NAME moved aside.
namespace kinema::checkpoint {

inline constexpr std::string_view kTemporaryMark = ".tmp-";
inline constexpr std::string_view kAsideMark = ".old-";

bool is_temporary(std::string_view name);
bool is_aside(std::string_view name);
bool is_step(std::string_view name);                 // "step-" and at least eight digits
std::string base_of_aside(const std::string& name);  // NAME of NAME.old-PID

// Throws Error(usage) unless it is 1 to 200 letters, digits and . _ - + = @, starts with no dot and holds no
// mark.
void check_checkpoint_name(const std::string& name);

// "best-val_top1" for the monitor "val/top1".
std::string best_link_name(const std::string& monitor);

// The checkpoint folders in `folder`, sorted; a folder moved aside counts while its successor is not there.
std::vector<std::string> checkpoint_names(FileSystem& system, const std::string& folder);

}  // namespace kinema::checkpoint
