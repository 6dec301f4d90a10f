#include "framework/checkpoint/json_scanner.h"

#include <fmt/format.h>

#include <utility>

#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

std::string shown(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return byte >= 0x20 && byte < 0x7f ? fmt::format("'{}'", c) : fmt::format("byte 0x{:02x}", byte);
}

void append_utf8(std::string& out, unsigned code) {
  const auto put = [&](unsigned byte) { out.push_back(static_cast<char>(byte)); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

// Length of the well-formed sequence at the start of `s`, 0 when there is none (Unicode table 3-7).
std::size_t utf8_length(std::string_view s) {
  const auto byte = [&](std::size_t i) -> unsigned {
    return i < s.size() ? static_cast<unsigned char>(s[i]) : 0u;
  };
  const auto tail = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  const unsigned lead = byte(0), second = byte(1);
  if (lead < 0x80) return 1;
  if (lead >= 0xc2 && lead <= 0xdf) return tail(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef) {
    if ((lead == 0xe0 && second < 0xa0) || (lead == 0xed && second > 0x9f)) return 0;
    return tail(1) && tail(2) ? 3 : 0;
  }
  if (lead >= 0xf0 && lead <= 0xf4) {
    if ((lead == 0xf0 && second < 0x90) || (lead == 0xf4 && second > 0x8f)) return 0;
    return tail(1) && tail(2) && tail(3) ? 4 : 0;
  }
  return 0;
}

}  // namespace

std::size_t utf8_fault(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = utf8_length(text.substr(i, 4));
    if (length == 0) return i;
    i += length;
  }
  return text.size();
}

JsonScanner::JsonScanner(std::string_view text, std::string where) : text_(text), where_(std::move(where)) {
  at_ = utf8_fault(text_);
  if (at_ < text_.size())
    fail(fmt::format("text is not UTF-8: expected UTF-8, got 0x{:02x}",
                     static_cast<unsigned char>(text_[at_])));
  at_ = 0;
}

void JsonScanner::fail(const std::string& what) const {
  throw Error(ErrorKind::data, where_, fmt::format("{} at byte {} of the header", what, at_));
}

char JsonScanner::peek() {
  while (at_ < text_.size() &&
         (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
    ++at_;
  return at_ < text_.size() ? text_[at_] : '\0';
}

bool JsonScanner::next_is(char punctuation) { return peek() == punctuation && at_ < text_.size(); }

bool JsonScanner::accept(char punctuation) {
  if (!next_is(punctuation)) return false;
  ++at_;
  return true;
}

void JsonScanner::expect(char punctuation) {
  if (accept(punctuation)) return;
  fail(fmt::format("malformed JSON: expected '{}', got {}", punctuation,
                   at_ < text_.size() ? shown(text_[at_]) : "the end"));
}

void JsonScanner::end() {
  peek();
  if (at_ < text_.size()) fail(fmt::format("malformed JSON: expected the end, got {}", shown(text_[at_])));
}

std::string JsonScanner::string(std::size_t limit) {
  expect('"');
  std::string out;
  while (true) {
    if (at_ >= text_.size()) fail("malformed JSON: unfinished string: expected '\"', got the end");
    const char c = text_[at_];
    if (static_cast<unsigned char>(c) < 0x20)
      fail("malformed JSON: control character in a string: expected an escape, got " + shown(c));
    ++at_;
    if (c == '"') return out;
    if (c == '\\')
      append_escape(out);
    else
      out.push_back(c);
    if (out.size() > limit)
      fail(fmt::format("string is too long: expected at most {} bytes, got more", limit));
  }
}

void JsonScanner::append_escape(std::string& out) {
  constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_++] : '\0';
  if (const auto i = kFrom.find(c); c != '\0' && i != std::string_view::npos) {
    out.push_back(kTo[i]);
    return;
  }
  if (c != 'u') fail("malformed JSON: unknown escape: expected one of \"\\/bfnrtu, got " + shown(c));
  unsigned code = hex4();
  if (code >= 0xd800 && code < 0xe000) {
    const bool paired = code < 0xdc00 && text_.substr(at_, 2) == "\\u";
    if (paired) at_ += 2;
    const unsigned low = paired ? hex4() : 0;
    if (low < 0xdc00 || low > 0xdfff)
      fail(fmt::format("malformed JSON: unpaired surrogate: expected a pair, got {:04x} and {:04x}", code,
                       low));
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  append_utf8(out, code);
}

unsigned JsonScanner::hex4() {
  unsigned code = 0;
  for (int i = 0; i < 4; ++i) {
    const char c = at_ < text_.size() ? text_[at_] : '\0';
    unsigned digit = 0;
    if (c >= '0' && c <= '9')
      digit = static_cast<unsigned>(c - '0');
    else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
      digit = static_cast<unsigned>((c | 0x20) - 'a') + 10;
    else
      fail("malformed JSON: expected four hex digits, got " + shown(c));
    code = code << 4 | digit;
    ++at_;
  }
  return code;
}

std::int64_t JsonScanner::unsigned_integer() {
  const char first = peek();
  if (first < '0' || first > '9')
    fail("malformed number: expected an integer of at least 0, got " + shown(first));
  const std::size_t begin = at_;
  std::int64_t value = 0;
  while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
    if (__builtin_mul_overflow(value, std::int64_t{10}, &value) ||
        __builtin_add_overflow(value, std::int64_t{text_[at_] - '0'}, &value))
      fail("number is too large: expected at most 63 bits, got more");
    ++at_;
  }
  if (first == '0' && at_ - begin > 1)
    fail("malformed number: leading zero: expected a digit from 1 to 9 in front, got 0");
  if (at_ < text_.size() && (text_[at_] == '.' || (text_[at_] | 0x20) == 'e'))
    fail("malformed number: expected an integer of at least 0, got a fraction or exponent");
  return value;
}

}  // namespace kinema::checkpoint
