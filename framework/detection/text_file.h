#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "kinema/error.h"

namespace kinema::detection {

struct TextLine {
  std::string file;
  std::size_t number = 0;
  std::string text;  // without its end
};

// The lines that are not empty. Throws Error(data) when the file cannot be read.
std::vector<TextLine> read_text_lines(const std::filesystem::path& file);

// Fields between commas or, where a line has tabs, between tabs; quotes around a field are cut off.
std::vector<std::string> fields_of(const std::string& line);

Problem line_problem(const TextLine& line, std::string what);
[[noreturn]] void fail_line(const TextLine& line, std::string what);

// Throws Error(data) with the first bad lines and a count of the others; does nothing when there are none.
void report_lines(const std::filesystem::path& file, std::vector<Problem> problems);

}  // namespace kinema::detection
