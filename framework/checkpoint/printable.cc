#include "framework/checkpoint/printable.h"

#include <fmt/format.h>

namespace kinema::checkpoint {

std::string printable(std::string_view text) {
  constexpr std::size_t kLongest = 80;
  std::string out = "'";
  for (const char c : text.substr(0, kLongest)) {
    if (c >= ' ' && c <= '~')
      out += c;
    else
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return out + (text.size() > kLongest ? "...'" : "'");
}

}  // namespace kinema::checkpoint
