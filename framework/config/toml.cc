#include "framework/config/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "framework/config/toml_limits.h"

// toml++ 3.3 asserts what broken files do not keep ("[,x]"); in release builds it even tells the compiler to
// rely on it. An exception instead makes a problem of it.
namespace kinema::config {
namespace {
struct BrokenAssumption : std::runtime_error {
  BrokenAssumption() : std::runtime_error("toml++") {}
};
[[noreturn]] void assumption_broken() { throw BrokenAssumption(); }
}  // namespace
}  // namespace kinema::config
#pragma push_macro("NDEBUG")
#undef NDEBUG
#define TOML_ASSERT(expr) ((expr) ? void() : ::kinema::config::assumption_broken())
#include <toml++/toml.h>
#pragma pop_macro("NDEBUG")

namespace kinema::config {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

Origin at(const Origin& source, const toml::source_position& position) {
  Origin origin = source;
  origin.line = static_cast<int>(position.line);
  origin.column = static_cast<int>(position.column);
  return origin;
}

bool before(const Value::Entry& a, const Value::Entry& b) {
  return std::pair(a.key_origin.line, a.key_origin.column) <
         std::pair(b.key_origin.line, b.key_origin.column);
}

class Conversion {
 public:
  Conversion(const Origin& source, std::vector<Problem>& problems) : source_(source), problems_(problems) {}

  Value table(const toml::table& node, int depth) {
    Value::Table entries;
    for (auto&& [key, value] : node) {
      entries.push_back(
          {std::string(key.str()), at(source_, key.source().begin), this->value(value, depth + 1)});
    }
    // toml++ sorts by name; the file's order is what a reader expects.
    std::stable_sort(entries.begin(), entries.end(), before);
    return Value(std::move(entries));
  }

 private:
  Value value(const toml::node& node, int depth) {
    const Origin origin = at(source_, node.source().begin);
    Value result;
    if (++count_ > kMaxValues || depth > kMaxTomlDepth)
      refuse(origin,
             depth > kMaxTomlDepth
                 ? fmt::format("nested too deeply: expected at most {} levels, got more", kMaxTomlDepth)
                 : fmt::format("too long: expected at most {} values, got more", kMaxValues));
    else if (const auto* table = node.as_table())
      result = this->table(*table, depth);
    else if (const auto* array = node.as_array())
      result = elements(*array, depth);
    else if (const auto* text = node.as_string())
      result = Value(text->get());
    else if (const auto* integer = node.as_integer())
      result = Value(integer->get());
    else if (const auto* real = node.as_floating_point())
      result = Value(real->get());
    else if (const auto* flag = node.as_boolean())
      result = Value(flag->get());
    else
      problems_.push_back(
          problem_at(origin, {},
                     "wrong value type: expected boolean, number, string, array or table, got "
                     "date or time",
                     "write it as a string, in quotes"));
    result.origin = origin;
    return result;
  }

  Value elements(const toml::array& node, int depth) {
    Value::Array array;
    for (const toml::node& element : node) array.push_back(value(element, depth + 1));
    return Value(std::move(array));
  }

  void refuse(const Origin& origin, std::string what) {
    if (!std::exchange(refused_, true)) problems_.push_back(problem_at(origin, {}, std::move(what)));
  }

  const Origin& source_;
  std::vector<Problem>& problems_;
  std::size_t count_ = 0;
  bool refused_ = false;
};

Problem syntax_problem(const toml::parse_error& error, const Origin& source) {
  std::string text(error.description());
  if (!text.empty() && text[0] >= 'A' && text[0] <= 'Z') text[0] = static_cast<char>(text[0] - 'A' + 'a');
  const bool twice = text.find("redefine") != std::string::npos;
  return problem_at(at(source, error.source().begin), {},
                    (twice ? "key given twice: " : "not valid TOML: ") + text,
                    twice ? "keep one of the two" : "strings need quotes; see https://toml.io");
}

bool breaks_assumption(std::string_view text) {
  try {
    const toml::table ignored = toml::parse(text);
  } catch (const toml::parse_error&) {
  } catch (const BrokenAssumption&) {
    return true;
  }
  return false;
}

// The parser cannot say where it broke; it broke in the last line of the shortest text that breaks it.
int broken_line(std::string_view text) {
  std::vector<std::size_t> ends;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') ends.push_back(i);
  ends.push_back(text.size());
  const auto first = std::partition_point(
      ends.begin(), ends.end(), [&](std::size_t end) { return !breaks_assumption(text.substr(0, end)); });
  return static_cast<int>(std::min(first, ends.end() - 1) - ends.begin()) + 1;
}

}  // namespace

std::optional<Value> parse_toml(std::string_view text, const Origin& source, std::vector<Problem>& problems) {
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  const std::size_t known = problems.size();
  check_toml_limits(text, source, problems);
  if (problems.size() != known) return std::nullopt;
  try {
    const toml::table root = toml::parse(text);
    Value value = Conversion(source, problems).table(root, 0);
    value.origin = source;
    if (problems.size() != known) return std::nullopt;
    return value;
  } catch (const toml::parse_error& error) {
    problems.push_back(syntax_problem(error, source));
  } catch (const BrokenAssumption&) {
    Origin origin = source;
    origin.line = broken_line(text);
    origin.column = 1;
    problems.push_back(
        problem_at(origin, {}, "not valid TOML: expected key = value or [section], got something else"));
  }
  return std::nullopt;
}

Value parse_toml_value(std::string_view text, const Origin& source) {
  std::vector<Problem> not_toml;
  const auto table = parse_toml("value = " + std::string(text), source, not_toml);
  // More than one key: the text held a line break and another key, which is no value.
  const bool one = table && table->as_table().size() == 1 && table->as_table()[0].key == "value";
  Value value = one ? *table->find("value") : Value(std::string(text));
  value.set_origin(source);
  return value;
}

}  // namespace kinema::config
