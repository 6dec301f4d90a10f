#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "annotations/clip_list.h"

// Private to this plugin: the files in which Kinetics is listed.
namespace kinema::kinetics {

enum class Format {
  detect,    // from the content
  official,  // csv with a header: label, youtube_id, time_start, time_end, split; the test list has no label
  paths,     // `path label` or `path,label`: PySlowFast, MMAction2; the last white space or comma splits
  raw_frames,  // `folder frames label`: MMAction2
};

struct ListOptions {
  std::filesystem::path root;
  Format format = Format::detect;
  std::optional<std::string> split;  // official: only rows with this in the column `split`
  std::string pictures = "img_%05d.jpg";
  std::int64_t first_number = 1;
  bool allow_absolute = false;
};

// "0wR5jVB-WPk", 417, 427 -> "0wR5jVB-WPk_000417_000427": the name of a file of the trimmed set.
std::string file_id(const std::string& youtube_id, std::int64_t start_s, std::int64_t end_s);

// Bad lines are added to `complaints`. An official row names no file: it is looked for by its id in the root
// and three levels down; one that is not there gets the path that it should have.
annotations::Listing read_list(const std::filesystem::path& list, const ListOptions& options,
                               annotations::Complaints& complaints);

}  // namespace kinema::kinetics
