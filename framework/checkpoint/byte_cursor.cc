#include "framework/checkpoint/byte_cursor.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "kinema/error.h"

namespace kinema::checkpoint {

ByteCursor::ByteCursor(std::string_view bytes, std::string where) : bytes_(bytes), where_(std::move(where)) {}

void ByteCursor::need(std::uint64_t count) const {
  if (count > left())
    throw Error(ErrorKind::data, where_,
                fmt::format("cut off at byte {}: expected {} more bytes, got {}", at_, count, left()));
}

template <class T>
T ByteCursor::number() {
  T value;
  need(sizeof value);
  std::memcpy(&value, bytes_.data() + at_, sizeof value);
  at_ += sizeof value;
  return value;
}

std::uint8_t ByteCursor::u8() { return number<std::uint8_t>(); }
std::uint16_t ByteCursor::u16() { return number<std::uint16_t>(); }
std::uint32_t ByteCursor::u32() { return number<std::uint32_t>(); }
std::uint64_t ByteCursor::u64() { return number<std::uint64_t>(); }

std::string_view ByteCursor::take(std::uint64_t count) {
  need(count);
  const std::string_view out = bytes_.substr(at_, count);
  at_ += out.size();
  return out;
}

std::string_view ByteCursor::line() {
  const std::size_t end = bytes_.find('\n', at_);
  if (end == std::string_view::npos)
    throw Error(ErrorKind::data, where_, fmt::format("cut off at byte {}: expected a line", at_));
  const std::string_view out = bytes_.substr(at_, end - at_);
  at_ = end + 1;
  return out;
}

}  // namespace kinema::checkpoint
