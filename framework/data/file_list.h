#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kinema::data {

// A file that a folder or a list names.
struct NamedFile {
  std::string name;  // relative to the folder, or as the list says
  std::filesystem::path path;
};

// Every regular file in a folder and its subfolders by name, but those that describe others: .tsv, .md, .json
// and .txt. Links to folders are not followed. Throws Error(data) for a folder that cannot be read.
std::vector<NamedFile> files_in(const std::filesystem::path& folder);

// The files that a list names, each once, in its order; relative names start from the list's folder. A line
// is a path, or what the data set `list` reads: a path and other columns behind it, separated by tabs, commas
// (then "" may stand around it) or spaces. Columns are cut off as far as the file is then found, or else as
// far as they do not look like a part of the name. A first line whose path would be `path` is a header. For a
// folder (of numbered pictures) its files are named. Throws Error(data) for a list that cannot be read.
std::vector<NamedFile> files_of_list(const std::filesystem::path& list);

// The longest path that all of them begin with; empty for none.
std::filesystem::path common_folder(const std::vector<std::filesystem::path>& folders);

// The path in one line of such a list.
std::string path_in_line(const std::string& line, const std::filesystem::path& folder);

}  // namespace kinema::data
