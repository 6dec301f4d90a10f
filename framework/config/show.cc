#include "framework/config/show.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/config/environment.h"

namespace kinema::config {
namespace {

bool is_table(const Value& value) { return value.is(Value::Type::table); }

// [[key]] can say it: a list of tables alone.
bool is_table_list(const Value& value) {
  return value.is(Value::Type::array) && !value.as_array().empty() &&
         std::all_of(value.as_array().begin(), value.as_array().end(), is_table);
}

std::string key_text(const std::string& key) {
  constexpr std::string_view kBare = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
  const bool bare = !key.empty() && key.find_first_not_of(kBare) == std::string::npos;
  return bare ? key : Value(key).text();
}

class Writer {
 public:
  explicit Writer(bool origins) : origins_(origins) {}

  // Plain keys first: after a header every key would belong to that table.
  void table(const Value& table, const std::string& path) {
    for (const Value::Entry& entry : table.as_table())
      if (!is_table(entry.value) && !is_table_list(entry.value) && !entry.value.is(Value::Type::none))
        line(key_text(entry.key) + " = " + escaped_for_expansion(entry.value).text(), entry.value.origin);
    for (const Value::Entry& entry : table.as_table()) {
      const std::string name = path.empty() ? key_text(entry.key) : path + "." + key_text(entry.key);
      if (is_table(entry.value)) section("[" + name + "]", entry.value, name);
      if (!is_table_list(entry.value)) continue;
      for (const Value& element : entry.value.as_array()) section("[[" + name + "]]", element, name);
    }
  }

  std::string take() { return std::move(text_); }

 private:
  void section(const std::string& header, const Value& value, const std::string& name) {
    const auto& entries = value.as_table();
    const bool only_tables =
        !entries.empty() &&
        std::all_of(entries.begin(), entries.end(), [](const auto& entry) { return is_table(entry.value); });
    // [clip] above [clip.train] says nothing; [[callback]] begins an element.
    if (!only_tables || header[1] == '[') {
      if (!text_.empty()) text_ += '\n';
      text_ += header + "\n";
    }
    table(value, name);
  }

  void line(const std::string& text, const Origin& origin) {
    text_ += text;
    if (origins_) {
      std::string from = origin.text().empty() ? "unknown" : origin.text();
      std::replace_if(
          from.begin(), from.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, '?');
      text_ += "  # " + from;
    }
    text_ += '\n';
  }

  bool origins_;
  std::string text_;
};

}  // namespace

std::string show(const Value& resolved, bool origins) {
  Writer writer(origins);
  writer.table(resolved, {});
  return writer.take();
}

}  // namespace kinema::config
