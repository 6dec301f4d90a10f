#include "framework/config/sources.h"

namespace kinema::config {

std::string_view Sources::line(const std::string& name, int number) const {
  const auto found = texts_.find(name);
  if (found == texts_.end() || number < 1) return {};
  std::string_view text = found->second;
  for (int i = 1; i < number; ++i) {
    const auto end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

}  // namespace kinema::config
