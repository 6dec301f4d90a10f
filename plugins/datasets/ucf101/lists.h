#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annotations/clip_list.h"

// Private to this plugin: the official list files (UCF101, "Action Recognition" train/test splits).
namespace kinema::ucf101 {

// classInd.txt: `1 ApplyEyeMakeup`, ids from 1 without gaps. The result is in label order, label = id - 1.
// Throws Error(data) with file:line of every bad line.
std::vector<std::string> read_class_index(const std::filesystem::path& file);

// trainlistNN.txt (`path id`) or testlistNN.txt (`path`). The folder of the path is the class; an id must
// agree. File names need not repeat the class: HandstandPushups holds v_HandStandPushups_*. Throws
// Error(data) with file:line of every bad line.
annotations::Clips read_split(const std::filesystem::path& file, const std::vector<std::string>& classes,
                              bool with_ids);

}  // namespace kinema::ucf101
