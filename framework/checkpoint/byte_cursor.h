#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kinema::checkpoint {

// Walks over little-endian binary text; whoever reads past its end gets Error(data) with the offset.
class ByteCursor {
 public:
  // `bytes` is borrowed. `where` begins every message.
  ByteCursor(std::string_view bytes, std::string where);

  std::size_t at() const { return at_; }
  std::size_t left() const { return bytes_.size() - at_; }
  const std::string& where() const { return where_; }

  std::uint8_t u8();
  std::uint16_t u16();
  std::uint32_t u32();
  std::uint64_t u64();
  std::string_view take(std::uint64_t count);
  std::string_view line();  // up to a line feed, which is skipped

 private:
  template <class T>
  T number();
  void need(std::uint64_t count) const;

  std::string_view bytes_;
  std::string where_;
  std::size_t at_ = 0;
};

}  // namespace kinema::checkpoint
