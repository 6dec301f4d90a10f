#include "annotations/pictures.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "annotations/paths.h"
#include "annotations/text_file.h"

namespace kinema::annotations {
namespace {

// A name around its number.
struct Around {
  std::string before, after;
  auto operator<=>(const Around&) const = default;
};
struct Numbers {
  std::set<std::int64_t> values;
  std::size_t digits = 0;  // with leading zeros; 0: not padded
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

std::optional<Around> around(const std::string& pattern) {
  const std::size_t percent = pattern.find('%');
  if (percent == std::string::npos) return std::nullopt;
  std::size_t end = percent + 1;
  while (end < pattern.size() && is_digit(pattern[end])) ++end;
  if (end >= pattern.size() || pattern[end] != 'd' || pattern.find('%', end) != std::string::npos)
    return std::nullopt;
  return Around{pattern.substr(0, percent), pattern.substr(end + 1)};
}

void take(const std::string& name, const Around& key, std::map<Around, Numbers>& groups) {
  if (name.size() <= key.before.size() + key.after.size()) return;
  const std::string text = name.substr(key.before.size(), name.size() - key.before.size() - key.after.size());
  const auto number = as_integer(text);
  if (!number || !std::all_of(text.begin(), text.end(), is_digit)) return;
  Numbers& numbers = groups[key];
  numbers.values.insert(*number);
  if (text.size() > 1 && text.front() == '0') numbers.digits = text.size();
}

// Of a picture's name "img_00001.jpg": what stands around the last number before the extension.
std::optional<Around> guessed(const std::string& name) {
  static const std::vector<std::string> kExtensions = {"jpg", "jpeg", "png", "bmp", "webp", "tif", "tiff"};
  if (!has_extension(name, kExtensions) || name.find('%') != std::string::npos) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  std::size_t begin = dot;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == dot) return std::nullopt;
  return Around{name.substr(0, begin), name.substr(dot)};
}

PictureRow row_of(const Around& key, const Numbers& numbers, const std::string& pattern) {
  PictureRow row;
  row.pictures = pattern;
  if (pattern.empty())
    row.pictures =
        key.before + (numbers.digits > 0 ? "%0" + std::to_string(numbers.digits) + "d" : "%d") + key.after;
  row.first_number = *numbers.values.begin();
  while (numbers.values.contains(row.first_number + row.count)) ++row.count;
  row.gone = std::ssize(numbers.values) - row.count;
  return row;
}

}  // namespace

std::optional<PictureRow> look_for_pictures(const std::filesystem::path& folder, const std::string& pattern) {
  const std::optional<Around> given = around(pattern);
  if (!pattern.empty() && !given) return std::nullopt;
  std::map<Around, Numbers> groups;
  for (const auto& entry : sorted_entries(folder)) {
    const std::string name = entry.path().filename().string();
    if (given && !(name.starts_with(given->before) && name.ends_with(given->after))) continue;
    if (const auto key = given ? given : guessed(name)) take(name, *key, groups);
  }
  const auto largest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.second.values.size() < b.second.values.size();
  });
  if (largest == groups.end()) return std::nullopt;
  return row_of(largest->first, largest->second, pattern);
}

std::string with_id(std::string pattern, const std::string& id) {
  if (const std::size_t at = pattern.find("{id}"); at != std::string::npos) pattern.replace(at, 4, id);
  return pattern;
}

}  // namespace kinema::annotations
