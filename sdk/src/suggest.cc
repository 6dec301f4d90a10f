#include "kinema/suggest.h"

#include <algorithm>

namespace kinema {
namespace {

constexpr std::size_t kLongestName = 64;
constexpr std::size_t kMostListed = 24;

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names) {
  if (wanted.empty() || wanted.size() > kLongestName) return {};
  std::string nearest;
  std::size_t least = std::max<std::size_t>(1, wanted.size() / 3) + 1;
  for (const std::string& name : names) {
    if (name.size() > kLongestName) continue;
    const std::size_t distance = edit_distance(wanted, name);
    // All letters replaced is no likeness: "x" is not a mistyped "y".
    if (distance >= least || distance >= std::max(wanted.size(), name.size())) continue;
    least = distance;
    nearest = name;
  }
  return nearest;
}

std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(wanted, names);
  return nearest.empty() ? std::string() : "did you mean \"" + nearest + "\"?";
}

std::string one_of_text(const std::vector<std::string>& names) {
  if (names.empty()) return "nothing";
  if (names.size() == 1) return names.front();
  std::string text = "one of ";
  for (std::size_t i = 0; i < std::min(names.size(), kMostListed); ++i) {
    if (i > 0) text += ", ";
    text += names[i];
  }
  if (names.size() > kMostListed) text += ", ... (" + std::to_string(names.size()) + " in all)";
  return text;
}

}  // namespace kinema
