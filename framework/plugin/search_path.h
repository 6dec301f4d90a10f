#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "kinema/error.h"

namespace kinema::plugin {

// Where libraries are looked for, in this order.
struct SearchPath {
  std::vector<std::filesystem::path> experiment;  // `plugins = [...]`: folders or single files
  std::optional<std::string> environment;         // KINEMA_PLUGIN_PATH: folders, separated by colons
  std::vector<std::filesystem::path> built_in;    // may be missing
};

// A folder or file that was not searched for a reason of safety.
struct RefusedPlace {
  std::string path;
  Problem reason;
};

struct SearchResult {
  std::vector<std::filesystem::path> files;  // real paths, each once; alphabetical within a folder
  std::vector<RefusedPlace> refused;         // never stops the others
  std::vector<Problem> errors;               // places that the user named and that do not exist
};

// The folders that belong to the program `executable`: `../plugins` of the build tree and
// `../lib/kinema/plugins` of an installation.
std::vector<std::filesystem::path> built_in_folders(const std::filesystem::path& executable);

// The search path of this process: the program's own folders and KINEMA_PLUGIN_PATH.
SearchPath search_path(std::vector<std::filesystem::path> experiment);

// Lists the regular files `*.so` of the folders (not of folders inside them), links followed. Refused: a
// folder that everybody may write to, sticky or not, and an entry of KINEMA_PLUGIN_PATH that is empty or
// relative. Loads nothing; the files themselves are checked by check_library().
SearchResult find_libraries(const SearchPath& path);

}  // namespace kinema::plugin
