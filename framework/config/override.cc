#include "framework/config/override.h"

#include <fmt/format.h>

#include <utility>

#include "framework/config/merge.h"
#include "framework/config/toml.h"
#include "framework/config/toml_limits.h"

namespace kinema::config {
namespace {

constexpr const char* kForms = "a.b=value, a+=value (a list) and ~a.b (delete) are overrides";

std::string trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1));
}

// Of "a.b=c" the place of the "=": the first one outside quotes.
std::size_t find_equals(std::string_view text) {
  bool quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (text[i] == '=' && !quoted) return i;
  }
  return std::string_view::npos;
}

void erase(Value& root, std::vector<std::string> key, const Origin& origin, std::vector<Problem>& problems) {
  if (!reach(root, key, false, origin, problems)) return;
  const std::string last = key.back();
  key.pop_back();
  Value* owner = reach(root, key, false, origin, problems);
  if (owner->is(Value::Type::array))
    owner->as_array().erase(owner->as_array().begin() + std::stol(last));
  else
    owner->erase(last);
}

void append(Value& list, Value value, const std::string& key, const Origin& origin,
            std::vector<Problem>& problems) {
  if (list.is(Value::Type::none)) list = Value(Value::Array{});
  if (!list.is(Value::Type::array)) {
    problems.push_back(problem_at(
        origin, key,
        fmt::format("not a list: expected an array to add to, got {}", Value::type_name(list.type()))));
    return;
  }
  list.origin = origin;
  if (!value.is(Value::Type::array)) {
    list.as_array().push_back(std::move(value));
    return;
  }
  for (Value& element : value.as_array()) list.as_array().push_back(std::move(element));
}

// The override's key becomes the place of its value, so that messages about either name the override.
void mark(Value& root, std::vector<std::string> key, const Origin& origin) {
  std::vector<Problem> none;
  const std::string last = key.back();
  key.pop_back();
  Value* owner = reach(root, key, false, origin, none);
  if (!owner || !owner->is(Value::Type::table)) return;
  for (Value::Entry& entry : owner->as_table())
    if (entry.key == last) entry.key_origin = origin;
}

}  // namespace

void apply_override(Value& root, std::string_view text, const Origin& origin, const ReadFile& read,
                    std::vector<Problem>& problems) {
  const std::size_t known = problems.size();
  check_toml_limits(text, origin, problems);
  if (problems.size() != known) {
    problems.back().where = origin.text();
    problems.back().origin = origin;
    return;
  }
  const std::string whole = trimmed(text);
  const bool deletes = whole.starts_with('~');
  const std::size_t equals = deletes ? whole.size() : find_equals(whole);
  const bool appends = equals != std::string::npos && equals > 0 && whole[equals - 1] == '+';
  const std::string key_text =
      equals == std::string::npos
          ? whole
          : trimmed(whole.substr(deletes ? 1 : 0, equals - (deletes || appends ? 1 : 0)));
  const auto key = split_key(key_text);
  if (equals == std::string::npos || !key) {
    problems.push_back(problem_at(
        origin, {}, fmt::format("not an override: expected key=value, got {}", Value(whole).text()), kForms));
    return;
  }
  if (key->front() == "extends") {
    problems.push_back(problem_at(origin, key_text,
                                  "not in an override: expected extends in a file, got it here",
                                  "`a=@file.toml` puts a file's table in place"));
    return;
  }
  if (deletes) return erase(root, *key, origin, problems);

  const std::string value_text = trimmed(whole.substr(equals + 1));
  Value value;
  if (value_text.starts_with('@')) {
    auto table = read(value_text.substr(1), origin);
    if (!table) return;
    value = std::move(*table);
  } else {
    value = parse_toml_value(value_text, origin);
  }
  Value* place = reach(root, *key, true, origin, problems);
  if (!place) return;
  if (appends)
    append(*place, std::move(value), key_text, origin, problems);
  else
    *place = std::move(value);
  mark(root, *key, origin);
}

std::vector<std::string> split_overrides(std::string_view text) {
  std::vector<std::string> parts;
  std::string part;
  char quote = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && !quote && depth == 0) {
      if (!part.empty()) parts.push_back(std::exchange(part, {}));
      continue;
    }
    part += c;
    if (quote == '"' && c == '\\' && i + 1 < text.size()) {
      part += text[++i];
    } else if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  if (!part.empty()) parts.push_back(std::move(part));
  return parts;
}

}  // namespace kinema::config
