#include "annotations/classes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>

#include "annotations/json.h"
#include "kinema/suggest.h"

namespace kinema::annotations {
namespace {

constexpr std::int64_t kMostClasses = 100000;  // a number beyond is no label

std::vector<std::string> names_of_json(const std::filesystem::path& file) {
  const Value json = read_json(file, {"class names", {}});
  Complaints complaints(file);
  std::map<std::int64_t, std::string> by_label;
  const auto add = [&](const std::string& name, std::int64_t label) {
    if (!by_label.emplace(label, name).second)
      complaints.add(0, "repeated label: expected each once, got " + std::to_string(label) + " twice");
  };
  if (json.is(Value::Type::array)) {
    for (const Value& each : json.as_array()) {
      if (each.is(Value::Type::string))
        add(each.as_string(), std::ssize(by_label));
      else
        complaints.add(0, "not a class name: expected a string, got " + each.text());
    }
  } else if (json.is(Value::Type::table)) {
    for (const Value::Entry& entry : json.as_table()) {
      const std::optional<std::int64_t> label =
          entry.value.is(Value::Type::integer)  ? std::optional(entry.value.as_integer())
          : entry.value.is(Value::Type::string) ? as_integer(entry.value.as_string())
                                                : std::nullopt;
      if (label)
        add(entry.key, *label);
      else
        complaints.add(0,
                       "not a label: expected a number for \"" + entry.key + "\", got " + entry.value.text());
    }
  } else {
    complaints.add(0, "no class names: expected a list of names or a table of name and label, got " +
                          std::string(Value::type_name(json.type())));
  }
  std::vector<std::string> names;
  for (const auto& [label, name] : by_label) {
    if (label != std::ssize(names)) {
      complaints.add(0, "labels with a gap: expected " + std::to_string(names.size()) + ", got " +
                            std::to_string(label));
      break;
    }
    names.push_back(name);
  }
  complaints.report();
  return names;
}

std::vector<std::string> names_of_lines(const std::filesystem::path& file) {
  Complaints complaints(file);
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (const Line& line : read_lines(file)) {
    names.push_back(trimmed(line.text));
    if (!seen.insert(names.back()).second)
      complaints.add(line.number,
                     "repeated class: expected each name once, got \"" + names.back() + "\" twice");
  }
  complaints.report();
  return names;
}

// What is known of all labels together.
struct Numbers {
  bool all = true;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::int64_t largest = -1;
  std::set<std::int64_t> different = {};
};

Numbers numbers_in(const WrittenLabels& written) {
  Numbers numbers;
  for (const std::string& label : written.texts()) {
    const auto number = as_integer(label);
    if (!number) return {false};
    numbers.smallest = std::min(numbers.smallest, *number);
    numbers.largest = std::max(numbers.largest, *number);
    if (numbers.different.size() <= static_cast<std::size_t>(kMostClasses)) numbers.different.insert(*number);
  }
  numbers.all = !numbers.different.empty();
  return numbers;
}

std::vector<std::string> names_in(const WrittenLabels& written, ClassOrder order) {
  std::vector<std::string> names(written.texts().begin(), written.texts().end());
  if (order == ClassOrder::alphabetical) std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> counted_names(std::int64_t first, std::int64_t largest) {
  std::vector<std::string> names;
  for (std::int64_t i = first; i <= std::min(largest, first + kMostClasses - 1); ++i)
    names.push_back(std::to_string(i));
  return names;
}

// Labels by their texts.
class Resolver {
 public:
  Resolver(const std::vector<std::string>& classes, std::int64_t first)
      : index_(classes), classes_(classes), first_(first) {}

  std::optional<std::int64_t> label_of(const std::string& label) const {
    if (const auto named = index_.find(label)) return named;
    const std::optional<std::int64_t> number = as_integer(label);
    if (number && *number >= first_ && *number - first_ < index_.count()) return *number - first_;
    return std::nullopt;
  }

  // Why there is none.
  void complain(const std::string& label, std::size_t line, Complaints& complaints) const {
    if (complaints.full())
      complaints.add(line, {});  // a hint for each of a million would take long
    else if (as_integer(label))
      complaints.add(line, "label out of range: expected " + std::to_string(first_) + " to " +
                               std::to_string(first_ + index_.count() - 1) + ", got " + label);
    else
      complaints.add(line,
                     "unknown class: expected one of the " + std::to_string(index_.count()) +
                         " classes, got \"" + label + "\"",
                     did_you_mean(label, classes_));
  }

 private:
  ClassIndex index_;
  const std::vector<std::string>& classes_;
  std::int64_t first_;
};

}  // namespace

std::vector<std::string> read_class_names(const std::filesystem::path& file) {
  std::vector<std::string> names = file.extension() == ".json" ? names_of_json(file) : names_of_lines(file);
  if (names.empty())
    throw Error(ErrorKind::data, file.string(), "no class names: expected one a line, got none");
  return names;
}

std::vector<std::string> given_classes(const std::vector<std::string>& names,
                                       const std::optional<std::filesystem::path>& file) {
  return file ? read_class_names(*file) : names;
}

ClassIndex::ClassIndex(const std::vector<std::string>& names) : count_(std::ssize(names)) {
  for (std::size_t i = 0; i < names.size(); ++i) labels_[names[i]] = static_cast<std::int64_t>(i);
}

std::optional<std::int64_t> ClassIndex::find(const std::string& name) const {
  const auto found = labels_.find(name);
  return found == labels_.end() ? std::nullopt : std::optional(found->second);
}

void WrittenLabels::add(std::size_t line, std::span<const std::string_view> labels) {
  for (const std::string_view label : labels) add_text(label);
  lines_.push_back(static_cast<std::uint32_t>(line));
  ends_.push_back(static_cast<std::uint32_t>(of_entries_.size()));
}

void WrittenLabels::add(std::size_t line, const std::vector<std::string>& labels) {
  const std::vector<std::string_view> views(labels.begin(), labels.end());
  add(line, views);
}

void WrittenLabels::add_text(std::string_view text) {
  auto place = places_.find(text);
  if (place == places_.end()) {
    texts_.emplace_back(text);  // its place in memory is for good
    place = places_.emplace(texts_.back(), static_cast<std::uint32_t>(texts_.size() - 1)).first;
  }
  of_entries_.push_back(place->second);
}

std::span<const std::uint32_t> WrittenLabels::of(std::size_t entry) const {
  const std::size_t begin = entry == 0 ? 0 : ends_[entry - 1];
  return {of_entries_.data() + begin, ends_[entry] - begin};
}

ResolvedLabels resolve_labels(const WrittenLabels& written, const LabelRules& rules, Complaints& complaints) {
  const Numbers numbers = numbers_in(written);
  const bool given = !rules.classes.empty();
  std::int64_t first = rules.first_label.value_or(0);
  ResolvedLabels resolved;
  resolved.classes = given         ? rules.classes
                     : numbers.all ? counted_names(first, numbers.largest)
                                   : names_in(written, rules.order);
  if (!rules.first_label && numbers.all && numbers.smallest >= 1) {
    if (given && numbers.largest == std::ssize(rules.classes)) {
      first = 1;
      resolved.remark = "labels 1 to " + std::to_string(numbers.largest) + " for " +
                        std::to_string(numbers.largest) + " classes: they are taken as counted from 1";
    } else if (!given && numbers.largest == std::ssize(numbers.different)) {
      resolved.remark = "there is no label 0: first_label = 1 says that labels count from 1";
    }
  }
  const Resolver resolver(resolved.classes, first);
  bool all = true;
  for (const std::string& text : written.texts()) {
    resolved.of_text.push_back(resolver.label_of(text).value_or(-1));
    all = all && resolved.of_text.back() >= 0;
  }
  for (std::size_t entry = 0; !all && entry < written.size(); ++entry)
    for (const std::uint32_t place : written.of(entry))
      if (resolved.of_text[place] < 0)
        resolver.complain(written.texts()[place], written.line(entry), complaints);
  return resolved;
}

std::vector<std::int64_t> labels_of(const WrittenLabels& written, std::size_t entry,
                                    const ResolvedLabels& resolved) {
  std::vector<std::int64_t> labels;
  for (const std::uint32_t place : written.of(entry))
    if (resolved.of_text[place] >= 0) labels.push_back(resolved.of_text[place]);
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

}  // namespace kinema::annotations
