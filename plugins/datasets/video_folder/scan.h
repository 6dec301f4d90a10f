#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "annotations/clip_list.h"

// Private to this plugin: where clips and class names come from.
namespace kinema::video_folder {

using annotations::Clips;

struct Found {
  std::vector<std::string> classes;
  Clips clips;
  std::string remark;  // worth a warning; may be empty
};

struct ScanOptions {
  std::filesystem::path root;
  std::vector<std::string> classes;     // given: these and no others, in this order
  std::vector<std::string> extensions;  // without dot, lower case
  bool allow_absolute = false;          // lists only
};

// root/class/.../file: classes and files sorted by byte; hidden entries and other extensions are skipped,
// links are followed, and one that leads nowhere in the place of a class is an error. Throws Error(data).
Found scan_folders(const ScanOptions& options);

// `path label` lines: the last white space splits. All labels are class indices, or all are class names.
// Throws Error(data) with file:line of every bad line.
Found read_list(const std::filesystem::path& list, const ScanOptions& options);

}  // namespace kinema::video_folder
