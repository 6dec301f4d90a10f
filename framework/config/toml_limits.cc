#include "framework/config/toml_limits.h"

#include <fmt/format.h>

namespace kinema::config {
namespace {

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

Origin place(const Origin& source, std::string_view text, std::size_t offset) {
  Origin origin = source;
  origin.line = 1;
  origin.column = 1;
  for (const char c : text.substr(0, offset)) {
    if (c == '\n') {
      ++origin.line;
      origin.column = 1;
    } else if (!continues(c)) {
      ++origin.column;
    }
  }
  return origin;
}

// Length of the UTF-8 sequence at the front; 0: not one (too long, a surrogate, beyond U+10FFFF, cut off).
std::size_t sequence_length(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xc2 && lead < 0xe0   ? 2
                             : lead >= 0xe0 && lead < 0xf0 ? 3
                             : lead >= 0xf0 && lead < 0xf5 ? 4
                                                           : 0;
  if (length == 0 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i)
    if (!continues(text[i])) return 0;
  if ((lead == 0xe0 && byte(1) < 0xa0) || (lead == 0xed && byte(1) > 0x9f)) return 0;
  if ((lead == 0xf0 && byte(1) < 0x90) || (lead == 0xf4 && byte(1) > 0x8f)) return 0;
  return length;
}

// Past a string that begins at `i`. An unclosed one ends with its line: the parser reports it.
std::size_t skip_string(std::string_view text, std::size_t i) {
  const char quote = text[i];
  const std::string_view triple = quote == '"' ? "\"\"\"" : "'''";
  const bool multi_line = text.substr(i, 3) == triple;
  i += multi_line ? 3 : 1;
  while (i < text.size()) {
    if (quote == '"' && text[i] == '\\') {
      i += 2;
    } else if (multi_line ? text.substr(i, 3) == triple : text[i] == quote) {
      return i + (multi_line ? 3 : 1);
    } else if (!multi_line && text[i] == '\n') {
      return i;
    } else {
      ++i;
    }
  }
  return text.size();
}

// Offset of the bracket or dot that goes too deep; npos where none does.
std::size_t find_too_deep(std::string_view text) {
  int brackets = 0, dots = 0;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (c == '"' || c == '\'') {
      i = skip_string(text, i);
      continue;
    }
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
      continue;
    }
    if (c == '[' || c == '{') ++brackets;
    if ((c == ']' || c == '}') && brackets > 0) --brackets;
    if (c == '.') ++dots;
    if (c == '=' || c == ',' || c == '\n' || c == '[' || c == '{') dots = 0;
    if (brackets + dots > kMaxTomlDepth) return i;
    ++i;
  }
  return std::string_view::npos;
}

}  // namespace

Problem problem_at(const Origin& origin, const std::string& path, std::string what, std::string hint) {
  std::string where = origin.text();
  if (origin.line == 0 && !path.empty()) where = where.empty() ? path : where + ": " + path;
  return {std::move(where), std::move(what), std::move(hint), origin};
}

void check_toml_limits(std::string_view text, const Origin& source, std::vector<Problem>& problems) {
  if (text.size() > kMaxTomlBytes) {
    problems.push_back(problem_at(
        source, {}, fmt::format("too long: expected at most {} bytes, got {}", kMaxTomlBytes, text.size()),
        "an experiment file is a page of text; is this one?"));
    return;
  }
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = sequence_length(text.substr(i));
    if (length == 0 || text[i] == '\0') {
      problems.push_back(problem_at(place(source, text, i), {},
                                    fmt::format("not a text file: expected UTF-8, got byte 0x{:02x}",
                                                static_cast<unsigned char>(text[i]))));
      return;
    }
    i += length;
  }
  const std::size_t deep = find_too_deep(text);
  if (deep != std::string_view::npos)
    problems.push_back(
        problem_at(place(source, text, deep), {},
                   fmt::format("nested too deeply: expected at most {} levels, got more", kMaxTomlDepth)));
}

}  // namespace kinema::config
