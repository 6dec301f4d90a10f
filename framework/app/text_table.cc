#include "framework/app/text_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace kinema::app {
namespace {

std::string printable(std::string cell) {
  std::replace_if(
      cell.begin(), cell.end(), [](unsigned char c) { return std::iscntrl(c) != 0; }, '?');
  return cell;
}

bool is_number(const std::string& cell) {
  return cell.find_first_not_of("0123456789.-%") == std::string::npos;
}

// Columns on a terminal: a letter of UTF-8 is its first byte.
std::size_t width_of(const std::string& cell) {
  return static_cast<std::size_t>(
      std::count_if(cell.begin(), cell.end(), [](unsigned char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

std::string text_table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  std::vector<bool> numbers;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    widths.resize(std::max(widths.size(), rows[r].size()));
    numbers.resize(widths.size(), true);
    for (std::size_t c = 0; c < rows[r].size(); ++c) {
      widths[c] = std::max(widths[c], width_of(rows[r][c]));
      if (r > 0 && !is_number(rows[r][c])) numbers[c] = false;
    }
  }
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string cell = printable(row[c]), pad(widths[c] - width_of(row[c]), ' ');
      line += c > 0 ? "  " : "";
      line += numbers[c] ? pad + cell : cell + pad;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

std::string text_of_bytes(double bytes) {
  static constexpr std::array kUnits = {"bytes", "kB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} bytes", bytes) : fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

std::string counted(std::size_t count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace kinema::app
