#include "framework/config/render.h"

#include <fmt/format.h>

#include <algorithm>

namespace kinema::config {
namespace {

constexpr std::size_t kMostProblems = 50;
constexpr std::size_t kWidth = 100;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kDim = "\x1b[2m";
constexpr const char* kPlain = "\x1b[0m";

// A line in characters, each fit for a terminal: one cell, no control characters.
std::vector<std::string> characters(std::string_view line) {
  std::vector<std::string> list;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xc0) == 0x80 && !list.empty())
      list.back() += c;
    else if (c == '\t')
      list.emplace_back(" ");
    else if (byte < 0x20 || byte == 0x7f)
      list.emplace_back("?");
    else
      list.emplace_back(1, c);
  }
  return list;
}

// Messages may quote what a file says.
std::string printable(std::string_view text) {
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    result += byte < 0x20 || byte == 0x7f ? '?' : c;
  }
  return result;
}

std::string excerpt(const Origin& origin, const Sources& sources) {
  const auto line = characters(sources.line(origin.source, origin.line));
  if (line.empty()) return {};
  const std::size_t column =
      std::min<std::size_t>(static_cast<std::size_t>(std::max(origin.column, 1)) - 1, line.size());
  const std::size_t begin = line.size() > kWidth && column > kWidth / 2 ? column - kWidth / 2 : 0;
  const std::size_t end = std::min(line.size(), begin + kWidth);
  std::string text = begin > 0 ? "..." : "";
  const std::size_t caret = text.size() + column - begin;
  for (std::size_t i = begin; i < end; ++i) text += line[i];
  if (end < line.size()) text += "...";
  return fmt::format("{:>5} | {}\n      | {}^\n", origin.line, text, std::string(caret, ' '));
}

std::string render_one(const Problem& problem, const Sources& sources, bool colour) {
  const auto painted = [&](const char* code, const std::string& text) {
    return colour && !text.empty() ? code + text + kPlain : text;
  };
  std::string text;
  if (!problem.where.empty()) text += painted(kBold, printable(problem.where) + ":") + " ";
  text += painted(kRed, printable(problem.what)) + "\n";
  text += painted(kDim, excerpt(problem.origin, sources));
  if (!problem.hint.empty()) text += "hint: " + printable(problem.hint) + "\n";
  return text;
}

}  // namespace

std::string render(const std::vector<Problem>& problems, const Sources& sources, bool colour) {
  std::string text;
  const std::size_t count = std::min(problems.size(), kMostProblems);
  for (std::size_t i = 0; i < count; ++i) text += render_one(problems[i], sources, colour);
  if (count < problems.size()) text += fmt::format("... and {} more problems\n", problems.size() - count);
  return text;
}

}  // namespace kinema::config
