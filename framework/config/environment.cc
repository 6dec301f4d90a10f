#include "framework/config/environment.h"

#include <fmt/format.h>

#include <cstdlib>

#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

constexpr const char* kLiteral = "$${ writes a literal ${";

std::string expanded(const std::string& text, const Origin& origin, const std::string& path,
                     std::vector<Problem>& problems) {
  std::string result;
  for (std::size_t i = 0; i < text.size();) {
    if (text.compare(i, 3, "$${") == 0) {
      result += "${";
      i += 3;
      continue;
    }
    if (text.compare(i, 2, "${") != 0) {
      result += text[i++];
      continue;
    }
    const auto end = text.find('}', i);
    const std::string name = text.substr(i + 2, end == std::string::npos ? end : end - i - 2);
    if (end == std::string::npos || name.empty()) {
      problems.push_back(
          problem_at(origin, path, "bad variable: expected ${NAME}, got " + Value(text).text(), kLiteral));
      return text;
    }
    const char* value = std::getenv(name.c_str());
    if (!value)
      problems.push_back(problem_at(
          origin, path, fmt::format("undefined variable: expected {} in the environment, got nothing", name),
          fmt::format("export {}=...; {}", name, kLiteral)));
    result += value ? value : "";
    i = end + 1;
  }
  return result;
}

std::string escaped(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.compare(i, 2, "${") == 0) result += '$';
    result += text[i];
  }
  return result;
}

}  // namespace

void expand_environment(Value& value, const std::string& path, std::vector<Problem>& problems) {
  if (value.is(Value::Type::string)) {
    if (value.as_string().find("${") == std::string::npos) return;
    Value text(expanded(value.as_string(), value.origin, path, problems));
    text.origin = value.origin;
    value = std::move(text);
  } else if (value.is(Value::Type::array)) {
    for (std::size_t i = 0; i < value.as_array().size(); ++i)
      expand_environment(value.as_array()[i], fmt::format("{}[{}]", path, i), problems);
  } else if (value.is(Value::Type::table)) {
    for (Value::Entry& entry : value.as_table())
      expand_environment(entry.value, path.empty() ? entry.key : path + "." + entry.key, problems);
  }
}

Value escaped_for_expansion(const Value& value) {
  Value result = value;
  if (value.is(Value::Type::string)) {
    result = Value(escaped(value.as_string()));
    result.origin = value.origin;
  }
  if (value.is(Value::Type::array))
    for (Value& element : result.as_array()) element = escaped_for_expansion(element);
  if (value.is(Value::Type::table))
    for (Value::Entry& entry : result.as_table()) entry.value = escaped_for_expansion(entry.value);
  return result;
}

}  // namespace kinema::config
