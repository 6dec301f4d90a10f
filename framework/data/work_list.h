#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "framework/data/check_files.h"
#include "framework/data/file_list.h"

// What the commands that write whole data sets anew have in common.
namespace kinema::data {

// What is to be done: `copies` are annotations, which are taken along as they are.
struct TranscodeWork {
  std::vector<NamedFile> videos, copies;
};

struct RefusedFile {
  std::string name, reason;
};

// The videos of a folder, and its annotations (.txt, .csv, .json, .tsv, .toml, .pbtxt); not what is below
// `output`.
TranscodeWork work_of_folder(const std::filesystem::path& folder, const std::filesystem::path& output);
// The videos of items by their names under `root`, and the annotations there. Throws Error(usage) for items
// that say frame numbers, where `new_rate` would make them wrong.
TranscodeWork work_of_splits(const std::vector<Split>& splits, const std::filesystem::path& root,
                             const std::filesystem::path& output, bool new_rate);

// Whether frame numbers of the file say which part of it an item is.
bool says_frame_numbers(const Item& item);

// The first of each name.
std::vector<NamedFile> each_once(std::vector<NamedFile> files);

// Whether `path` is `folder` or in it, by their names.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);
// Why a name cannot be one below a folder and in a table; empty: it can.
std::string name_refusal(const std::string& name);

// Does the work; why one file cannot be had: an Error(data), a file that cannot be copied. Empty: it is done.
std::string reason_against(const std::function<void()>& work);

// Where a file is written until it is whole, and what killed runs left of such files.
std::filesystem::path unfinished_path(const std::filesystem::path& target);
void remove_unfinished(const std::filesystem::path& folder);

}  // namespace kinema::data
