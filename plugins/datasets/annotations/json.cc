#include "annotations/json.h"

#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>

namespace kinema::annotations {
namespace {

// Reads characters and leaves behind how far it came: the parser itself tells no positions.
struct Cursor {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;
  const char* at;
  const char** reached;
  reference operator*() const { return *at; }
  Cursor& operator++() {
    *reached = ++at;
    return *this;
  }
  Cursor operator++(int) {
    Cursor before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Cursor& other) const { return at == other.at; }
  bool operator!=(const Cursor& other) const { return at != other.at; }
};

class Builder : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(const std::filesystem::path& file, const char* begin)
      : reached(begin), file_(file), counted_(begin) {}

  bool null() override { return put(Value()); }
  bool boolean(bool v) override { return put(Value(v)); }
  bool number_integer(number_integer_t v) override { return put(Value(static_cast<std::int64_t>(v))); }
  bool number_unsigned(number_unsigned_t v) override {
    if (v > static_cast<number_unsigned_t>(std::numeric_limits<std::int64_t>::max()))
      return put(Value(static_cast<double>(v)));
    return put(Value(static_cast<std::int64_t>(v)));
  }
  bool number_float(number_float_t v, const string_t&) override { return put(Value(static_cast<double>(v))); }
  bool string(string_t& v) override { return put(Value(std::move(v))); }
  bool binary(binary_t&) override { return false; }
  bool key(string_t& v) override {
    keys_.back() = std::move(v);
    return true;
  }
  bool start_object(std::size_t) override { return open(Value(Value::Table())); }
  bool start_array(std::size_t) override { return open(Value(Value::Array())); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) override {
    // What the library says starts with its own name and a position that counts bytes of the line.
    std::string text = error.what();
    if (const std::size_t at = text.find(": "); at != std::string::npos) text.erase(0, at + 2);
    throw Error(ErrorKind::data, file_.string() + ":" + std::to_string(line()),
                "not JSON: expected an annotation file, got \"" + text + "\"");
  }

  const char* reached;
  Value root;

 private:
  int line() {
    for (; counted_ < reached; ++counted_) line_ += *counted_ == '\n' ? 1 : 0;
    return line_;
  }
  bool put(Value value) {
    value.origin.line = line();
    if (open_.empty())
      root = std::move(value);
    else if (open_.back().is(Value::Type::array))
      open_.back().as_array().push_back(std::move(value));
    else
      open_.back().as_table().push_back({std::move(keys_.back()), {}, std::move(value)});
    return true;
  }
  bool open(Value value) {
    value.origin.line = line();
    open_.push_back(std::move(value));
    keys_.emplace_back();
    return true;
  }
  bool close() {
    Value value = std::move(open_.back());
    open_.pop_back();
    keys_.pop_back();
    const int began = value.origin.line;
    put(std::move(value));
    Value& placed = open_.empty()                         ? root
                    : open_.back().is(Value::Type::array) ? open_.back().as_array().back()
                                                          : open_.back().as_table().back().value;
    placed.origin.line = began;
    return true;
  }

  const std::filesystem::path& file_;
  const char* counted_;
  int line_ = 1;
  std::vector<Value> open_;
  std::vector<std::string> keys_;
};

}  // namespace

Value read_json(const std::filesystem::path& file, const Expected& expected) {
  const std::string text = read_text(file, expected);
  Builder builder(file, text.data());
  nlohmann::json::sax_parse(Cursor{text.data(), &builder.reached},
                            Cursor{text.data() + text.size(), &builder.reached}, &builder);
  return std::move(builder.root);
}

std::optional<std::string> text_of(const Value* value) {
  if (value && value->is(Value::Type::string)) return value->as_string();
  if (value && value->is(Value::Type::integer)) return std::to_string(value->as_integer());
  return std::nullopt;
}

std::optional<double> number_of(const Value* value) {
  if (value && (value->is(Value::Type::integer) || value->is(Value::Type::real))) return value->as_real();
  if (value && value->is(Value::Type::string)) return as_number(value->as_string());
  return std::nullopt;
}

}  // namespace kinema::annotations
