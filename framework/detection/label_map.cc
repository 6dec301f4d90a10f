#include "framework/detection/label_map.h"

#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <optional>
#include <set>
#include <vector>

#include "framework/detection/text_file.h"
#include "kinema/error.h"

namespace kinema::detection {
namespace {

struct Token {
  std::string text;  // a word, a number, a quoted text without its quotes, or one of { } :
  std::size_t line = 0;
  bool quoted = false;
};

// Splits a line; `#` begins a comment.
void tokenise(const TextLine& line, std::vector<Token>& out) {
  const std::string& text = line.text;
  for (std::size_t i = 0; i < text.size();) {
    const char c = text[i];
    if (std::isspace(static_cast<unsigned char>(c)) || c == ',' || c == ';') {
      ++i;
    } else if (c == '#') {
      return;
    } else if (c == '{' || c == '}' || c == ':') {
      out.push_back({std::string(1, c), line.number});
      ++i;
    } else if (c == '"' || c == '\'') {
      std::size_t end = i + 1;
      while (end < text.size() && text[end] != c) end += text[end] == '\\' ? 2 : 1;
      if (end >= text.size()) fail_line(line, "a text without an end: expected a closing quote, got none");
      out.push_back({text.substr(i + 1, end - i - 1), line.number, true});
      i = end + 1;
    } else {
      const std::size_t end = text.find_first_of(" \t{}:\"'#,;", i);
      out.push_back({text.substr(i, end - i), line.number});
      i = end == std::string::npos ? text.size() : end;
    }
  }
}

class Parser {
 public:
  Parser(const std::filesystem::path& file, std::vector<Token> tokens)
      : file_(file.string()), tokens_(std::move(tokens)) {}

  std::map<std::int64_t, std::string> parse() {
    while (at_ < tokens_.size()) {
      expect("item");
      if (at_ < tokens_.size() && tokens_[at_].text == ":") ++at_;
      expect("{");
      item();
    }
    if (labels_.empty())
      throw Error(ErrorKind::data, file_, "no classes: expected `item { name: \"...\" id: 1 }`, got none");
    return std::move(labels_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    const std::size_t line = at_ < tokens_.size() ? tokens_[at_].line
                             : tokens_.empty()    ? 1
                                                  : tokens_.back().line;
    throw Error(ErrorKind::data, fmt::format("{}:{}", file_, line), what);
  }
  const Token& next(const char* wanted) {
    if (at_ >= tokens_.size()) fail(fmt::format("the list ends early: expected {}, got the end", wanted));
    return tokens_[at_++];
  }
  void expect(const char* text) {
    const Token& token = next(text);
    if (token.text == text && !token.quoted) return;
    --at_;
    fail(fmt::format("not a label map: expected `{}`, got `{}`", text, tokens_[at_].text));
  }

  void item() {
    std::optional<std::int64_t> id;
    std::optional<std::string> name;
    for (;;) {
      const Token key = next("a field or `}`");
      if (key.text == "}" && !key.quoted) break;
      expect(":");
      const Token value = next("a value");
      if (key.text == "name") name = value.text;
      if (key.text == "id" || key.text == "label_id") id = number(value);
    }
    --at_;
    if (!id || !name)
      fail("an item that says too little: expected `name` and `id`, got only one of them or none");
    if (!labels_.emplace(*id, *name).second)
      fail(fmt::format("an id given twice: expected each once, got {} again", *id));
    if (!names_.insert(*name).second)
      fail(fmt::format("a name given twice: expected each once, got \"{}\" again", *name));
    ++at_;
  }

  std::int64_t number(const Token& token) {
    std::int64_t value = 0;
    const auto [end, error] =
        std::from_chars(token.text.data(), token.text.data() + token.text.size(), value);
    if (error == std::errc() && end == token.text.data() + token.text.size() && value > 0) return value;
    --at_;
    fail(fmt::format("not an id: expected a whole number from 1 on, got `{}`", token.text));
  }

  std::string file_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::map<std::int64_t, std::string> labels_;
  std::set<std::string> names_;
};

}  // namespace

std::map<std::int64_t, std::string> read_label_map(const std::filesystem::path& file) {
  std::vector<Token> tokens;
  for (const TextLine& line : read_text_lines(file)) tokenise(line, tokens);
  return Parser(file, std::move(tokens)).parse();
}

}  // namespace kinema::detection
