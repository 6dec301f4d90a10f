#include "framework/detection/text_file.h"

#include <fmt/format.h>

#include <cerrno>
#include <fstream>
#include <system_error>

namespace kinema::detection {
namespace {

constexpr std::size_t kShown = 20;  // bad lines

}  // namespace

std::vector<TextLine> read_text_lines(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failure(in ? 0 : errno, std::generic_category());
  if (in && std::filesystem::is_directory(file, failure))
    failure = std::make_error_code(std::errc::is_a_directory);
  if (failure)
    throw Error(ErrorKind::data, file.string(),
                fmt::format("cannot read the file: expected a text file, got \"{}\"", failure.message()));
  std::vector<TextLine> lines;
  std::string text;
  for (std::size_t number = 1; std::getline(in, text); ++number) {
    if (number == 1 && text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.pop_back();
    if (!text.empty()) lines.push_back({file.string(), number, text});
  }
  return lines;
}

std::vector<std::string> fields_of(const std::string& line) {
  const char separator = line.find('\t') == std::string::npos ? ',' : '\t';
  std::vector<std::string> fields;
  for (std::size_t begin = 0; begin <= line.size();) {
    std::size_t end = line.find(separator, begin);
    if (end == std::string::npos) end = line.size();
    std::string field = line.substr(begin, end - begin);
    const std::size_t first = field.find_first_not_of("\" "), last = field.find_last_not_of("\" ");
    fields.push_back(first == std::string::npos ? "" : field.substr(first, last - first + 1));
    begin = end + 1;
  }
  return fields;
}

Problem line_problem(const TextLine& line, std::string what) {
  return {fmt::format("{}:{}", line.file, line.number), std::move(what), {}, {}};
}

void fail_line(const TextLine& line, std::string what) {
  throw Error(ErrorKind::data, {line_problem(line, std::move(what))});
}

void report_lines(const std::filesystem::path& file, std::vector<Problem> problems) {
  if (problems.empty()) return;
  const std::size_t all = problems.size();
  if (all > kShown) {
    problems.resize(kShown);
    problems.push_back(
        {file.string(), fmt::format("more bad lines: expected none, got {} besides", all - kShown), {}, {}});
  }
  throw Error(ErrorKind::data, std::move(problems));
}

}  // namespace kinema::detection
