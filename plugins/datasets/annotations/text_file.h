#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/error.h"

// Text files of annotations: lines with their numbers, and all complaints about a file at once.
namespace kinema::annotations {

struct Line {
  std::size_t number = 0;  // from 1
  std::string text;
};

// For the message when a file cannot be read: "cannot read the file: expected <what>, got ...".
struct Expected {
  std::string what = "a text file";
  std::string hint = {};
};

// Every line that is not blank, without byte order mark and line end (LF or CRLF). Throws Error(data).
void for_each_line(const std::filesystem::path& file, const Expected& expected,
                   const std::function<void(const Line&)>& take);
// The same of a text in memory.
void for_each_line(std::string_view text, const std::function<void(const Line&)>& take);
std::vector<Line> read_lines(const std::filesystem::path& file, const Expected& expected = {});
// The whole file, without byte order mark. Throws Error(data).
std::string read_text(const std::filesystem::path& file, const Expected& expected = {});

// Without white space around it.
std::string_view trim(std::string_view text);
std::string trimmed(std::string_view text);
// Split at white space of any kind.
void words(std::string_view text, std::vector<std::string_view>& list);
std::vector<std::string> words(std::string_view text);
std::vector<std::string> split(std::string_view text, char separator);
// The whole text is a number, finite; spaces around it are no part of it.
std::optional<std::int64_t> as_integer(std::string_view text);
std::optional<double> as_number(std::string_view text);

// Collects what is wrong with a file and says it all at once: at most twenty lines and a count.
class Complaints {
 public:
  explicit Complaints(const std::filesystem::path& file) : file_(file.string()) {}
  // Of a line; 0: of the file as a whole.
  void add(std::size_t line, std::string what, std::string hint = {});
  bool any() const { return count_ > 0; }
  // What is added from now on is counted only.
  bool full() const;
  // Throws Error(data) when there is something to say.
  void report();

 private:
  std::string file_;
  std::vector<Problem> problems_;
  std::size_t count_ = 0;
};

}  // namespace kinema::annotations
