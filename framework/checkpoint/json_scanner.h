#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinema::checkpoint {

// Reads JSON token by token for a caller who knows what must come: nothing is built, nothing recurses, so the
// cost of a hostile text is bounded by the caller. Throws Error(data) with the byte offset.
class JsonScanner {
 public:
  // `text` is borrowed. Throws unless it is UTF-8.
  JsonScanner(std::string_view text, std::string where);

  void expect(char punctuation);          // skips white space before it
  bool accept(char punctuation);          // true and past it, when it comes next
  std::string string(std::size_t limit);  // at most `limit` bytes, escapes resolved
  std::int64_t unsigned_integer();        // digits only, fits int64
  void end();                             // only white space may follow
  bool next_is(char punctuation);         // without moving past it
  [[noreturn]] void fail(const std::string& what) const;

 private:
  char peek();
  void append_escape(std::string& out);
  unsigned hex4();

  std::string_view text_;
  std::string where_;
  std::size_t at_ = 0;
};

// The offset of the first byte that is not part of a well-formed UTF-8 sequence; text.size() when all is
// well.
std::size_t utf8_fault(std::string_view text);

}  // namespace kinema::checkpoint
