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

// Of "img_%05d.jpg"; %% is a percent sign.
std::optional<Around> around(const std::string& pattern) {
  Around found;
  int numbers = 0;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    std::string& part = numbers == 0 ? found.before : found.after;
    if (pattern[at] != '%') {
      part += pattern[at];
    } else if (at + 1 < pattern.size() && pattern[at + 1] == '%') {
      part += pattern[++at];
    } else {
      do ++at;
      while (at < pattern.size() && is_digit(pattern[at]));
      if (++numbers > 1 || at >= pattern.size() || pattern[at] != 'd') return std::nullopt;
    }
  }
  return numbers == 1 ? std::optional(found) : std::nullopt;
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
  if (!has_extension(name, kExtensions)) return std::nullopt;
  const std::size_t dot = name.rfind('.');
  std::size_t begin = dot;
  while (begin > 0 && is_digit(name[begin - 1])) --begin;
  if (begin == dot) return std::nullopt;
  return Around{name.substr(0, begin), name.substr(dot)};
}

// A text as a pattern names it.
std::string literal(const std::string& text) {
  std::string pattern;
  for (const char c : text) pattern += c == '%' ? "%%" : std::string(1, c);
  return pattern;
}

PictureRow row_of(const Around& key, const Numbers& numbers, const std::string& pattern) {
  PictureRow row;
  row.pictures = pattern;
  if (pattern.empty())
    row.pictures = literal(key.before) +
                   (numbers.digits > 0 ? "%0" + std::to_string(numbers.digits) + "d" : "%d") +
                   literal(key.after);
  row.first_number = *numbers.values.begin();
  while (numbers.values.contains(row.first_number + row.count)) ++row.count;
  row.gone = std::ssize(numbers.values) - row.count;
  return row;
}

}  // namespace

std::optional<PictureRow> look_for_pictures(const std::filesystem::path& folder, const std::string& pattern,
                                            const std::vector<std::string>& others) {
  const std::optional<Around> given = around(pattern);
  if (!pattern.empty() && !given) return std::nullopt;
  std::set<Around> taken;
  for (const std::string& other : others)
    if (const auto key = around(other)) taken.insert(*key);
  std::map<Around, Numbers> groups;
  for (const auto& entry : sorted_entries(folder)) {
    const std::string name = entry.path().filename().string();
    if (given && !(name.starts_with(given->before) && name.ends_with(given->after))) continue;
    const auto key = given ? given : guessed(name);
    if (key && (given || !taken.contains(*key))) take(name, *key, groups);
  }
  const auto largest = std::max_element(groups.begin(), groups.end(), [](const auto& a, const auto& b) {
    return a.second.values.size() < b.second.values.size();
  });
  if (largest == groups.end()) return std::nullopt;
  return row_of(largest->first, largest->second, pattern);
}

bool names_one_number(const std::string& pattern) { return around(pattern).has_value(); }

std::string with_id(std::string pattern, const std::string& id) {
  if (const std::size_t at = pattern.find("{id}"); at != std::string::npos)
    pattern.replace(at, 4, literal(id));
  return pattern;
}

}  // namespace kinema::annotations
