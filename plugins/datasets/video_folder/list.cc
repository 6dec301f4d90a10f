#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <system_error>

#include "kinema/error.h"
#include "scan.h"

namespace kinema::video_folder {
namespace {

constexpr std::size_t kShown = 20;  // bad lines

struct Line {
  std::string path, label;
  std::size_t number = 0;
};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)) != 0; }

std::string trimmed(const std::string& text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  const auto last = std::find_if_not(text.rbegin(), std::make_reverse_iterator(first), is_space).base();
  return {first, last};
}

std::vector<std::pair<std::size_t, std::string>> read_lines(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failure(in ? 0 : errno, std::generic_category());
  if (in && std::filesystem::is_directory(file, failure))
    failure = std::make_error_code(std::errc::is_a_directory);
  if (failure)
    throw Error(ErrorKind::data, file.string(),
                "cannot read the file: expected a text file, got \"" + failure.message() + "\"");
  std::vector<std::pair<std::size_t, std::string>> lines;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    text = trimmed(text);
    if (!text.empty()) lines.emplace_back(number, text);
  }
  if (in.bad())
    throw Error(ErrorKind::data, file.string(), "reading stopped: expected all lines, got an I/O error");
  return lines;
}

std::optional<std::int64_t> as_index(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

// Why a path of a list may not be used; empty: it may.
std::string refused(const std::string& text, bool allow_absolute) {
  const std::filesystem::path path(text);
  if (text.find('\0') != std::string::npos)
    return "a path with a zero byte: expected a file name, got " + text;
  if (allow_absolute) return {};
  if (path.is_absolute()) return "an absolute path: expected one relative to root, got " + text;
  if (std::find(path.begin(), path.end(), "..") != path.end())
    return "a path that leaves root: expected no \"..\", got " + text;
  return {};
}

class ListReader {
 public:
  ListReader(const std::filesystem::path& list, const ScanOptions& options)
      : list_(list), options_(options) {}

  Found read() {
    const std::vector<Line> lines = split_lines();
    // A class may be called "7": names that are given decide first.
    numeric_ = std::all_of(lines.begin(), lines.end(), [](const Line& line) { return as_index(line.label); });
    Found found;
    found.classes = options_.classes.empty() ? names_in(lines) : options_.classes;
    for (std::size_t i = 0; i < found.classes.size(); ++i)
      by_name_[found.classes[i]] = static_cast<std::int64_t>(i);
    for (const Line& line : lines)
      if (const auto label = label_of(line)) found.clips.push_back({line.path, *label});
    if (found.clips.empty() && problems_.empty())
      problems_.push_back(
          {list_.string(), "an empty list: expected lines of `path label`, got none", {}, {}});
    report();
    return found;
  }

 private:
  void complain(std::size_t line, std::string what, std::string hint = {}) {
    if (problems_.size() < kShown)
      problems_.push_back(
          {list_.string() + ":" + std::to_string(line), std::move(what), std::move(hint), {}});
    ++complaints_;
  }

  void report() {
    if (problems_.empty()) return;
    if (complaints_ > kShown)
      problems_.push_back(
          {list_.string(),
           "more bad lines: expected none, got " + std::to_string(complaints_ - kShown) + " besides",
           {},
           {}});
    throw Error(ErrorKind::data, std::move(problems_));
  }

  std::vector<Line> split_lines() {
    std::vector<Line> lines;
    for (const auto& [number, text] : read_lines(list_)) {
      const auto space = std::find_if(text.rbegin(), text.rend(), is_space).base();
      const std::string path = trimmed({text.begin(), space});
      if (path.empty()) {
        complain(number, "no label: expected `path label`, got \"" + text + "\"");
        continue;
      }
      if (const std::string why = refused(path, options_.allow_absolute); !why.empty()) {
        complain(number, why, "allow_absolute = true permits it");
        continue;
      }
      lines.push_back({path, {space, text.end()}, number});
    }
    return lines;
  }

  std::vector<std::string> names_in(const std::vector<Line>& lines) const {
    std::set<std::string> names;
    std::int64_t largest = -1;
    for (const Line& line : lines) {
      names.insert(line.label);
      if (numeric_) largest = std::max(largest, *as_index(line.label));
    }
    if (!numeric_) return {names.begin(), names.end()};
    constexpr std::int64_t kMostClasses = 100000;
    std::vector<std::string> numbers;
    for (std::int64_t i = 0; i <= std::min(largest, kMostClasses - 1); ++i)
      numbers.push_back(std::to_string(i));
    return numbers;
  }

  std::optional<std::int64_t> label_of(const Line& line) {
    if (const auto named = by_name_.find(line.label); named != by_name_.end()) return named->second;
    const std::optional<std::int64_t> index = as_index(line.label);
    const auto classes = static_cast<std::int64_t>(by_name_.size());
    if (index && *index >= 0 && *index < classes) return index;
    if (index)
      complain(line.number,
               "label out of range: expected 0 to " + std::to_string(classes - 1) + ", got " + line.label);
    else
      complain(
          line.number,
          "unknown class: expected one of the " + std::to_string(classes) + " classes, got \"" + line.label +
              "\"",
          "the label is what follows the last white space; name the classes in `classes` or `classes_file`");
    return std::nullopt;
  }

  const std::filesystem::path& list_;
  const ScanOptions& options_;
  bool numeric_ = false;
  std::map<std::string, std::int64_t> by_name_;
  std::vector<Problem> problems_;
  std::size_t complaints_ = 0;
};

}  // namespace

Found read_list(const std::filesystem::path& list, const ScanOptions& options) {
  return ListReader(list, options).read();
}

std::vector<std::string> read_classes(const std::filesystem::path& file) {
  std::vector<std::string> names;
  for (auto& [number, text] : read_lines(file)) names.push_back(std::move(text));
  if (names.empty())
    throw Error(ErrorKind::data, file.string(), "no class names: expected one a line, got none");
  return names;
}

}  // namespace kinema::video_folder
