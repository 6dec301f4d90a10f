#include "framework/config/merge.h"

#include <fmt/format.h>

#include <charconv>

#include "framework/config/toml_limits.h"
#include "kinema/suggest.h"

namespace kinema::config {
namespace {

std::optional<std::size_t> index_of(const std::string& text) {
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), index);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return index;
}

std::string joined(const std::vector<std::string>& key, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? "." : "") + key[i];
  return text;
}

Problem no_element(const Origin& origin, const std::vector<std::string>& key, const std::string& list,
                   const std::string& index, std::size_t size) {
  std::string what =
      size == 0
          ? fmt::format("no such element: expected an index of {}, which is empty, got \"{}\"", list, index)
          : fmt::format("no such element: expected an index from 0 to {} in {}, got \"{}\"", size - 1, list,
                        index);
  return problem_at(origin, joined(key, key.size()), std::move(what),
                    fmt::format("`{}+={{...}}` adds one", list));
}

std::vector<std::string> keys_of(const Value& table) {
  std::vector<std::string> keys;
  for (const Value::Entry& entry : table.as_table()) keys.push_back(entry.key);
  return keys;
}

}  // namespace

void merge_into(Value& weaker, const Value& stronger) {
  if (!weaker.is(Value::Type::table) || !stronger.is(Value::Type::table)) {
    weaker = stronger;
    return;
  }
  weaker.origin = stronger.origin;
  for (const Value::Entry& entry : stronger.as_table()) {
    bool found = false;
    for (Value::Entry& there : weaker.as_table()) {
      if (there.key != entry.key) continue;
      there.key_origin = entry.key_origin;
      merge_into(there.value, entry.value);
      found = true;
      break;
    }
    if (!found) weaker.as_table().push_back(entry);
  }
}

std::optional<std::vector<std::string>> split_key(std::string_view key) {
  std::vector<std::string> parts(1);
  bool quoted_part = false;
  for (std::size_t i = 0; i < key.size(); ++i) {
    if (key[i] == '"' && parts.back().empty() && !quoted_part) {
      const auto end = key.find('"', i + 1);
      if (end == std::string_view::npos) return std::nullopt;
      parts.back() = key.substr(i + 1, end - i - 1);
      quoted_part = true;
      i = end;
    } else if (key[i] == '.') {
      if (parts.back().empty()) return std::nullopt;
      parts.emplace_back();
      quoted_part = false;
    } else if (quoted_part) {
      return std::nullopt;
    } else {
      parts.back() += key[i];
    }
  }
  if (parts.back().empty()) return std::nullopt;
  return parts;
}

Value* reach(Value& root, const std::vector<std::string>& key, bool make, const Origin& origin,
             std::vector<Problem>& problems) {
  Value* value = &root;
  for (std::size_t i = 0; i < key.size(); ++i) {
    const std::string so_far = joined(key, i);
    if (value->is(Value::Type::array)) {
      const auto index = index_of(key[i]);
      const std::size_t size = value->as_array().size();
      if (!index || *index >= size) {
        problems.push_back(no_element(origin, key, so_far, key[i], size));
        return nullptr;
      }
      value = &value->as_array()[*index];
      continue;
    }
    if (!value->is(Value::Type::table)) {
      problems.push_back(problem_at(origin, joined(key, key.size()),
                                    fmt::format("not a table: expected a table at {}, got {}", so_far,
                                                Value::type_name(value->type()))));
      return nullptr;
    }
    Value* next = value->find(key[i]);
    if (!next && !make) {
      problems.push_back(problem_at(
          origin, joined(key, key.size()),
          fmt::format("no such key: expected {}, got \"{}\"", one_of_text(keys_of(*value)), key[i]),
          did_you_mean(key[i], keys_of(*value))));
      return nullptr;
    }
    if (!next && i + 1 < key.size() && index_of(key[i + 1])) {
      // An index into nothing: a table with a number as its key is not what was meant.
      problems.push_back(no_element(origin, key, joined(key, i + 1), key[i + 1], 0));
      return nullptr;
    }
    if (!next) {
      Value fresh = i + 1 < key.size() ? Value::table() : Value();
      fresh.origin = origin;
      next = &value->set(key[i], std::move(fresh));
    }
    value = next;
  }
  return value;
}

}  // namespace kinema::config
