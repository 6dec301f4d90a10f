#include "annotations.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <system_error>

#include "kinema/error.h"

namespace kinema::ucf101 {
namespace {

constexpr std::size_t kShown = 20;  // bad lines

struct Line {
  std::size_t number;
  std::vector<std::string> fields;
  std::string text;
};

std::vector<Line> read_lines(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failure(in ? 0 : errno, std::generic_category());
  if (in && std::filesystem::is_directory(file, failure))
    failure = std::make_error_code(std::errc::is_a_directory);
  if (failure)
    throw Error(ErrorKind::data, file.string(),
                "cannot read the file: expected an official UCF101 list, got \"" + failure.message() + "\"",
                "annotations names the folder with classInd.txt, trainlist0N.txt and testlist0N.txt");
  std::vector<Line> lines;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (text.ends_with('\r')) text.pop_back();
    std::istringstream words(text);  // takes white space of any kind
    Line line{number, {}, text};
    for (std::string word; words >> word;) line.fields.push_back(word);
    if (!line.fields.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

// Collects what is wrong with a file; says it all at once.
class Complaints {
 public:
  explicit Complaints(std::string file) : file_(std::move(file)) {}
  void add(const Line& line, std::string what) {
    ++count_;
    if (problems_.size() < kShown)
      problems_.push_back({file_ + ":" + std::to_string(line.number), std::move(what), {}, {}});
  }
  void report() {
    if (problems_.empty()) return;
    if (count_ > kShown)
      problems_.push_back(
          {file_,
           "more bad lines: expected none, got " + std::to_string(count_ - kShown) + " besides",
           {},
           {}});
    throw Error(ErrorKind::data, std::move(problems_));
  }

 private:
  std::string file_;
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

std::optional<std::int64_t> as_integer(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

bool leads_up(const std::filesystem::path& path) {
  return std::find(path.begin(), path.end(), "..") != path.end();
}

}  // namespace

std::vector<std::string> read_class_index(const std::filesystem::path& file) {
  Complaints complaints(file.string());
  std::vector<std::string> classes;
  for (const Line& line : read_lines(file)) {
    const auto id = as_integer(line.fields[0]);
    const auto expected = static_cast<std::int64_t>(classes.size()) + 1;
    if (line.fields.size() != 2 || !id) {
      complaints.add(line, "not a class: expected `id name`, got \"" + line.text + "\"");
    } else if (*id != expected) {
      complaints.add(line, "ids count from 1 without gaps: expected " + std::to_string(expected) + ", got " +
                               line.fields[0]);
    } else if (std::find(classes.begin(), classes.end(), line.fields[1]) != classes.end()) {
      complaints.add(line, "repeated class: expected each name once, got \"" + line.fields[1] + "\" twice");
    }
    classes.push_back(line.fields.size() > 1 ? line.fields[1] : "");
  }
  complaints.report();
  if (classes.empty())
    throw Error(ErrorKind::data, file.string(), "an empty file: expected lines of `id name`, got none");
  return classes;
}

std::vector<Clip> read_split(const std::filesystem::path& file, const std::vector<std::string>& classes,
                             bool with_ids) {
  Complaints complaints(file.string());
  std::map<std::string, std::int64_t> labels;
  for (std::size_t i = 0; i < classes.size(); ++i) labels[classes[i]] = static_cast<std::int64_t>(i);
  std::vector<Clip> clips;
  for (const Line& line : read_lines(file)) {
    const std::string& path = line.fields[0];
    const std::size_t slash = path.find('/');
    if (line.fields.size() != (with_ids ? 2u : 1u) || slash == std::string::npos || leads_up(path)) {
      complaints.add(line, std::string("not a clip: expected `class/file.avi") + (with_ids ? " id" : "") +
                               "`, got \"" + line.text + "\"");
      continue;
    }
    const auto label = labels.find(path.substr(0, slash));
    if (label == labels.end()) {
      complaints.add(line,
                     "unknown class: expected one of classInd.txt, got \"" + path.substr(0, slash) + "\"");
      continue;
    }
    const std::string id = std::to_string(label->second + 1);
    if (with_ids && line.fields[1] != id) {
      complaints.add(line, "the id does not belong to the folder: expected " + id + " for " + label->first +
                               ", got " + line.fields[1]);
      continue;
    }
    clips.push_back({path, label->second});
  }
  complaints.report();
  if (clips.empty()) throw Error(ErrorKind::data, file.string(), "an empty list: expected clips, got none");
  return clips;
}

}  // namespace kinema::ucf101
