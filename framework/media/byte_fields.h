#pragma once

// Private to this folder.
#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace kinema::media {

// Whole numbers in 7-bit groups, lowest first; signed ones with the sign in the lowest bit.
class FieldWriter {
 public:
  void number(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) bytes_ += static_cast<char>(value | 0x80);
    bytes_ += static_cast<char>(value);
  }
  void integer(std::int64_t value) {
    number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }
  void fixed(std::uint64_t value) {
    for (int shift = 0; shift < 64; shift += 8) bytes_ += static_cast<char>(value >> shift);
  }
  void real(double value) { fixed(std::bit_cast<std::uint64_t>(value)); }
  void text(std::string_view value) {
    number(value.size());
    bytes_ += value;
  }
  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// Reads them back; after the end, or in the middle of a field that goes beyond it, everything is 0 or empty
// and failed() is true.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t byte = next();
      value |= std::uint64_t{byte & 0x7fu} << shift;
      if ((byte & 0x80) == 0) return value;
    }
    failed_ = true;
    return 0;
  }
  std::int64_t integer() {
    const std::uint64_t value = number();
    return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
  }
  std::uint64_t fixed() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 8) value |= std::uint64_t{next()} << shift;
    return value;
  }
  double real() { return std::bit_cast<double>(fixed()); }
  std::string text() {
    const std::uint64_t size = number();
    if (size > left()) {
      failed_ = true;
      return {};
    }
    const auto* begin = reinterpret_cast<const char*>(bytes_.data()) + at_;
    at_ += size;
    return {begin, size};
  }
  // How many elements of at least `least` bytes follow.
  std::size_t count(std::size_t least) {
    const std::uint64_t value = number();
    failed_ |= value > left() / least;
    return failed_ ? 0 : value;
  }
  std::size_t left() const { return bytes_.size() - at_; }
  bool failed() const { return failed_; }

 private:
  std::uint8_t next() {
    if (at_ < bytes_.size()) return bytes_[at_++];
    failed_ = true;
    return 0;
  }
  std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

}  // namespace kinema::media
