#include "annotations/text_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

namespace kinema::annotations {
namespace {

constexpr std::size_t kShown = 20;  // bad lines
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::ifstream opened(const std::filesystem::path& file, const Expected& expected) {
  std::ifstream in(file, std::ios::binary);
  std::error_code failure(in ? 0 : errno, std::generic_category());
  if (in && std::filesystem::is_directory(file, failure))
    failure = std::make_error_code(std::errc::is_a_directory);
  if (failure)
    throw Error(ErrorKind::data, file.string(),
                "cannot read the file: expected " + expected.what + ", got \"" + failure.message() + "\"",
                expected.hint);
  return in;
}

void check_read(const std::ifstream& in, const std::filesystem::path& file) {
  if (in.bad())
    throw Error(ErrorKind::data, file.string(), "reading stopped: expected all lines, got an I/O error");
}

void take_line(Line& line, const std::function<void(const Line&)>& take) {
  if (line.text.ends_with('\r')) line.text.pop_back();
  if (!std::all_of(line.text.begin(), line.text.end(), is_space)) take(line);
}

template <class T>
std::optional<T> parsed(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

void for_each_line(const std::filesystem::path& file, const Expected& expected,
                   const std::function<void(const Line&)>& take) {
  std::ifstream in = opened(file, expected);
  Line line;
  for (line.number = 1; std::getline(in, line.text); ++line.number) {
    if (line.number == 1 && line.text.starts_with(kByteOrderMark)) line.text.erase(0, kByteOrderMark.size());
    take_line(line, take);
  }
  check_read(in, file);
}

void for_each_line(std::string_view text, const std::function<void(const Line&)>& take) {
  Line line;
  for (line.number = 1; !text.empty(); ++line.number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    line.text = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    take_line(line, take);
  }
}

std::vector<Line> read_lines(const std::filesystem::path& file, const Expected& expected) {
  std::vector<Line> lines;
  for_each_line(file, expected, [&](const Line& line) { lines.push_back(line); });
  return lines;
}

std::string read_text(const std::filesystem::path& file, const Expected& expected) {
  std::ifstream in = opened(file, expected);
  std::string text;
  for (std::array<char, 65536> part; in.read(part.data(), part.size()), in.gcount() > 0;)
    text.append(part.data(), static_cast<std::size_t>(in.gcount()));
  check_read(in, file);
  if (text.starts_with(kByteOrderMark)) text.erase(0, kByteOrderMark.size());
  return text;
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

std::string trimmed(std::string_view text) { return std::string(trim(text)); }

void words(std::string_view text, std::vector<std::string_view>& list) {
  list.clear();
  for (std::size_t at = 0; at < text.size();) {
    if (is_space(text[at])) {
      ++at;
      continue;
    }
    const std::size_t begin = at;
    while (at < text.size() && !is_space(text[at])) ++at;
    list.push_back(text.substr(begin, at - begin));
  }
}

std::vector<std::string> words(std::string_view text) {
  std::vector<std::string_view> list;
  words(text, list);
  return {list.begin(), list.end()};
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<std::int64_t> as_integer(std::string_view text) { return parsed<std::int64_t>(text); }

std::optional<double> as_number(std::string_view text) {
  const auto value = parsed<double>(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

void Complaints::add(std::size_t line, std::string what, std::string hint) {
  ++count_;
  if (problems_.size() < kShown)
    problems_.push_back(
        {line > 0 ? file_ + ":" + std::to_string(line) : file_, std::move(what), std::move(hint), {}});
}

bool Complaints::full() const { return problems_.size() >= kShown; }

void Complaints::report() {
  if (problems_.empty()) return;
  if (count_ > kShown)
    problems_.push_back({file_,
                         "more bad lines: expected none, got " + std::to_string(count_ - kShown) + " besides",
                         {},
                         {}});
  throw Error(ErrorKind::data, std::move(problems_));
}

}  // namespace kinema::annotations
