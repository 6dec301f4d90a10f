#include "annotations/paths.h"

#include <algorithm>
#include <cctype>
#include <system_error>

#include "kinema/error.h"

namespace kinema::annotations {
namespace {

namespace fs = std::filesystem;

Error unreadable(const fs::path& path, const std::string& expected, const std::error_code& failure) {
  return {ErrorKind::data, path.string(),
          "cannot be looked at: expected " + expected + ", got \"" + failure.message() + "\""};
}

}  // namespace

const std::vector<std::string>& video_extensions() {
  static const std::vector<std::string> list = {"avi", "mp4",  "mkv", "mov", "webm", "m4v",
                                                "mpg", "mpeg", "wmv", "flv", "ts",   "3gp",
                                                "ogv", "gif",  "mts", "vob", "divx"};
  return list;
}

bool has_extension(const fs::path& path, const std::vector<std::string>& extensions) {
  std::string extension = path.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(extensions.begin(), extensions.end(), extension) != extensions.end();
}

std::string refused(std::string_view path, bool allow_absolute) {
  if (path.find('\0') != std::string_view::npos)
    return "a path with a zero byte: expected a file name, got " + std::string(path);
  if (allow_absolute) return {};
  if (path.starts_with('/'))
    return "an absolute path: expected one relative to root, got " + std::string(path);
  for (std::size_t at = 0; (at = path.find("..", at)) != std::string_view::npos; at += 2)
    if ((at == 0 || path[at - 1] == '/') && (at + 2 == path.size() || path[at + 2] == '/'))
      return "a path that leaves root: expected no \"..\", got " + std::string(path);
  return {};
}

bool is_folder(const fs::path& path) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return true;
  if (failure && failure != std::errc::no_such_file_or_directory && failure != std::errc::not_a_directory)
    throw unreadable(path, "a readable folder", failure);
  return false;
}

void check_folder(const fs::path& path, const std::string& expected, const std::string& hint) {
  std::error_code failure;
  if (fs::is_directory(path, failure)) return;
  std::string got = "nothing";
  if (!failure) got = "a file";
  if (failure && failure != std::errc::no_such_file_or_directory) got = "\"" + failure.message() + "\"";
  throw Error(ErrorKind::data, path.string(), "no such folder: expected " + expected + ", got " + got, hint);
}

fs::path inside(const fs::path& root, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (is_folder(root / name)) return root / name;
  return root;
}

fs::path first_file(const fs::path& folder, const std::vector<std::string>& names) {
  std::error_code ignored;  // reading the file will say what is wrong with it
  for (const std::string& name : names)
    if (fs::exists(folder / name, ignored)) return folder / name;
  return folder / names.front();
}

std::vector<fs::directory_entry> sorted_entries(const fs::path& folder) {
  std::error_code failure;
  std::vector<fs::directory_entry> entries;
  fs::directory_iterator it(folder, failure);
  for (; !failure && it != fs::directory_iterator(); it.increment(failure)) {
    if (it->path().filename().string().starts_with('.')) continue;
    entries.push_back(*it);
  }
  if (failure) throw unreadable(folder, "a readable folder or file", failure);
  std::sort(entries.begin(), entries.end(),
            [](const auto& a, const auto& b) { return a.path().native() < b.path().native(); });
  return entries;
}

VideoFiles::VideoFiles(const fs::path& root, int depth) { collect(root, "", depth); }

void VideoFiles::collect(const fs::path& folder, const std::string& relative, int depth) {
  for (const fs::directory_entry& entry : sorted_entries(folder)) {
    const std::string name = relative + entry.path().filename().string();
    std::error_code failure;  // of a link that leads nowhere
    if (has_extension(entry.path(), video_extensions())) {
      files_.emplace(entry.path().stem().string(), name);
    } else if (depth > 1 && entry.is_directory(failure)) {
      collect(entry.path(), name + "/", depth - 1);
    }
  }
}

std::optional<std::string> VideoFiles::find(const std::string& stem) const {
  const auto found = files_.find(stem);
  return found == files_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace kinema::annotations
