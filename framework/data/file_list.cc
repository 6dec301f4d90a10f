#include "framework/data/file_list.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <set>
#include <system_error>

#include "kinema/error.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSpaces = " \t\r\n\v\f";

std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(kSpaces);
  if (begin == std::string::npos) return {};
  return text.substr(begin, text.find_last_not_of(kSpaces) - begin + 1);
}

bool describes_others(const fs::path& path) {
  static constexpr std::array kEndings = {".tsv", ".md", ".json", ".txt"};
  return std::find(kEndings.begin(), kEndings.end(), path.extension().string()) != kEndings.end();
}

[[noreturn]] void fail_to_read(const fs::path& path, const char* expected, const std::string& got) {
  throw Error(ErrorKind::data, path.string(),
              fmt::format("cannot read: expected {}, got \"{}\"", expected, got));
}

// The field in front of the first separator; with quotes around it, what they hold.
std::string first_field(const std::string& line, char separator) {
  if (!line.starts_with('"')) return trimmed(line.substr(0, line.find(separator)));
  std::string field;
  for (std::size_t at = 1; at < line.size(); ++at) {
    if (line[at] != '"') {
      field += line[at];
    } else if (at + 1 < line.size() && line[at + 1] == '"') {
      field += line[++at];
    } else {
      break;
    }
  }
  return field;
}

// "b.mp4" ends like a file; "12", "0.5" and "running" do not.
bool ends_like_a_file(const std::string& words) {
  const std::string ending = fs::path(words).extension().string();
  const auto is = [](int (*kind)(int)) { return [kind](unsigned char c) { return kind(c) != 0; }; };
  return ending.size() > 1 && std::all_of(ending.begin() + 1, ending.end(), is(std::isalnum)) &&
         std::any_of(ending.begin() + 1, ending.end(), is(std::isalpha));
}

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

}  // namespace

std::vector<NamedFile> files_in(const fs::path& folder) {
  std::vector<NamedFile> files;
  std::error_code failed;
  fs::recursive_directory_iterator at(folder, failed);
  for (; !failed && at != fs::recursive_directory_iterator(); at.increment(failed)) {
    std::error_code unknown;  // a link to nothing is no regular file
    if (at->is_regular_file(unknown) && !describes_others(at->path()))
      files.push_back({at->path().lexically_relative(folder).string(), at->path()});
  }
  if (failed) fail_to_read(folder, "a folder that can be looked through", failed.message());
  std::sort(files.begin(), files.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return files;
}

std::string path_in_line(const std::string& line, const fs::path& folder) {
  const std::string whole = trimmed(line);
  if (is_there(folder / whole)) return whole;
  for (const char separator : {'\t', ','})
    if (whole.find(separator) != std::string::npos) return first_field(whole, separator);
  // A label may be several words long, and so may the name.
  std::string shorter = whole;
  std::string guess;
  while (true) {
    if (guess.empty() && ends_like_a_file(shorter)) guess = shorter;
    const std::size_t space = shorter.find_last_of(kSpaces);
    if (space == std::string::npos) break;
    shorter = trimmed(shorter.substr(0, space));
    if (is_there(folder / shorter)) return shorter;
  }
  return guess.empty() ? shorter : guess;
}

std::vector<NamedFile> files_of_list(const fs::path& list) {
  std::error_code failed;
  if (!fs::is_regular_file(list, failed))
    fail_to_read(list, "a list of videos", failed ? failed.message() : "no such file");
  std::ifstream in(list, std::ios::binary);
  if (!in) fail_to_read(list, "a list of videos", std::strerror(errno));
  const fs::path folder = list.parent_path();
  std::vector<NamedFile> files;
  std::set<std::string> seen;
  bool first = true;
  for (std::string line; std::getline(in, line); first = false) {
    if (first && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    const std::string path = trimmed(line).empty() ? "" : path_in_line(line, folder);
    const bool header = first && path == "path" && !is_there(folder / path);
    if (path.empty() || header || !seen.insert(path).second) continue;
    if (!fs::is_directory(folder / path, failed)) {
      files.push_back({path, folder / path});
      continue;
    }
    for (NamedFile& file : files_in(folder / path))
      files.push_back({(fs::path(path) / file.name).string(), std::move(file.path)});
  }
  if (in.bad()) fail_to_read(list, "all lines", "an I/O error");
  return files;
}

fs::path common_folder(const std::vector<fs::path>& folders) {
  if (folders.empty()) return {};
  fs::path common = folders.front();
  for (const fs::path& folder : folders) {
    const auto [end, ignored] = std::mismatch(common.begin(), common.end(), folder.begin(), folder.end());
    fs::path shorter;
    for (auto part = common.begin(); part != end; ++part) shorter /= *part;
    common = shorter;
  }
  return common;
}

}  // namespace kinema::data
