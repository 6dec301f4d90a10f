#include "framework/plugin/search_path.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <utility>

namespace kinema::plugin {
namespace {

namespace fs = std::filesystem;

constexpr const char* kVariable = "KINEMA_PLUGIN_PATH";

class Search {
 public:
  SearchResult take() { return std::move(result_); }

  // A folder or file that the user named at `where`.
  void named(const fs::path& path, const std::string& where) {
    std::error_code error;
    const fs::file_status status = fs::status(path, error);
    if (!fs::exists(status)) {
      result_.errors.push_back({where,
                                fmt::format("no such folder or file: {}", path.string()),
                                "expected a folder of libraries or one library",
                                {}});
      return;
    }
    if (fs::is_directory(status))
      folder(path);
    else
      file(path);
  }

  void folder(const fs::path& path) {
    if (!trusted(path)) return;
    std::error_code error;
    std::vector<fs::path> found;
    for (fs::directory_iterator it(path, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;  // a dangling link is no library
      if (it->path().extension() == ".so" && it->is_regular_file(ignored)) found.push_back(it->path());
    }
    if (error) refuse(path, fmt::format("cannot list the folder: {}", error.message()), {});
    std::sort(found.begin(), found.end());
    for (const fs::path& each : found) file(each);
  }

  void file(const fs::path& path) {
    std::error_code error;
    const fs::path real = fs::canonical(path, error);
    if (error) return refuse(path, fmt::format("cannot resolve: {}", error.message()), {});
    // A link may lead out of the folder that was checked.
    if (!trusted(real.parent_path())) return;
    if (std::find(result_.files.begin(), result_.files.end(), real) == result_.files.end())
      result_.files.push_back(real);
  }

  void refuse(const fs::path& path, std::string what, std::string hint) {
    for (const RefusedPlace& place : result_.refused)
      if (place.path == path) return;
    result_.refused.push_back({path.string(), {path.string(), std::move(what), std::move(hint), {}}});
  }

 private:
  // Only the owner of a folder decides what is in it; the sticky bit does not stop others from adding files.
  bool trusted(const fs::path& folder) {
    struct stat facts {};
    if (stat(folder.c_str(), &facts) != 0 || !(facts.st_mode & S_IWOTH)) return true;
    refuse(folder, "everybody may write to the folder: expected that only its owner can add libraries",
           "chmod o-w " + folder.string());
    return false;
  }

  SearchResult result_;
};

void search_variable(Search& search, std::string_view text) {
  while (true) {
    const std::size_t colon = text.find(':');
    const std::string_view entry = text.substr(0, colon);
    if (fs::path(entry).is_absolute())
      search.named(entry, kVariable);
    else if (entry.empty())
      search.refuse(
          kVariable,
          "empty entry: expected absolute folders with single colons between them, got an empty one", {});
    else
      search.refuse(
          entry, fmt::format("relative entry of {}: expected an absolute folder, got {}", kVariable, entry),
          {});
    if (colon == std::string_view::npos) return;
    text.remove_prefix(colon + 1);
  }
}

}  // namespace

std::vector<fs::path> built_in_folders(const fs::path& executable) {
  const fs::path root = executable.parent_path().parent_path();
  return {root / "plugins", root / "lib" / "kinema" / "plugins"};
}

SearchPath search_path(std::vector<fs::path> experiment) {
  SearchPath path;
  path.experiment = std::move(experiment);
  if (const char* text = std::getenv(kVariable)) path.environment = text;
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  if (!error) path.built_in = built_in_folders(executable);
  return path;
}

SearchResult find_libraries(const SearchPath& path) {
  Search search;
  for (const fs::path& each : path.experiment) search.named(each, "plugins");
  // A variable that is set to nothing is as good as none.
  if (path.environment && !path.environment->empty()) search_variable(search, *path.environment);
  for (const fs::path& each : path.built_in) {
    std::error_code error;
    if (fs::is_directory(each, error)) search.folder(each);
  }
  return search.take();
}

}  // namespace kinema::plugin
