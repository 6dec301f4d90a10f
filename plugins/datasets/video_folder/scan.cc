#include "scan.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "annotations/paths.h"
#include "kinema/error.h"

namespace kinema::video_folder {
namespace {

namespace fs = std::filesystem;
using annotations::has_extension;
using annotations::sorted_entries;

Error unreadable(const fs::path& path, const std::error_code& failure) {
  return {ErrorKind::data, path.string(),
          "cannot be looked at: expected a readable folder or file, got \"" + failure.message() + "\""};
}

// Folders that lie on the way down to here: links may lead in circles.
using Above = std::vector<std::pair<dev_t, ino_t>>;

void collect(const fs::path& folder, const std::string& relative, std::int64_t label,
             const std::vector<std::string>& extensions, Above& above, Clips& clips) {
  struct stat status {};
  if (::stat(folder.c_str(), &status) != 0)
    throw unreadable(folder, std::error_code(errno, std::generic_category()));
  const std::pair id(status.st_dev, status.st_ino);
  if (std::find(above.begin(), above.end(), id) != above.end()) return;
  above.push_back(id);
  for (const fs::directory_entry& entry : sorted_entries(folder)) {
    const std::string name = relative + "/" + entry.path().filename().string();
    std::error_code failure;  // of a link that leads nowhere
    if (entry.is_directory(failure)) {
      collect(entry.path(), name, label, extensions, above, clips);
    } else if (has_extension(entry.path(), extensions)) {
      clips.push_back({.path = name, .label = label});  // whether it can be read shows later
    }
  }
  above.pop_back();
}

std::vector<std::string> class_folders(const fs::path& root) {
  std::vector<std::string> names;
  for (const fs::directory_entry& entry : sorted_entries(root)) {
    std::error_code failure;
    const bool folder = entry.is_directory(failure);
    if (failure) throw unreadable(entry.path(), failure);
    if (folder) names.push_back(entry.path().filename().string());
  }
  if (names.empty())
    throw Error(ErrorKind::data, root.string(),
                "no class folders: expected a folder for each class, got none",
                "root is the folder above the class folders; a file of `path label` lines goes into `list`");
  return names;
}

}  // namespace

Found scan_folders(const ScanOptions& options) {
  Found found;
  const std::vector<std::string> folders = class_folders(options.root);
  found.classes = options.classes.empty() ? folders : options.classes;
  std::vector<Problem> problems;
  for (std::size_t label = 0; label < found.classes.size(); ++label) {
    const std::string& name = found.classes[label];
    if (!std::binary_search(folders.begin(), folders.end(), name)) {
      problems.push_back({options.root.string(),
                          "no folder for a class: expected one named \"" + name + "\", got none",
                          "classes names folders of root",
                          {}});
      continue;
    }
    Above above;
    collect(options.root / name, name, static_cast<std::int64_t>(label), options.extensions, above,
            found.clips);
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return found;
}

}  // namespace kinema::video_folder
