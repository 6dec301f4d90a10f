#include "framework/plugin/build_stamp.h"

#include <fmt/format.h>

#include "kinema/stamp.h"

namespace kinema::plugin {
namespace {

constexpr std::string_view kBegin = "kinema-stamp;";
constexpr std::string_view kEnd = "end";

// The part of an SDK version that must agree.
std::string_view binding_part(std::string_view version) {
  const std::size_t dot = version.find('.');
  const std::string_view major = version.substr(0, dot);
  if (major != "0" || dot == std::string_view::npos) return major;
  return version.substr(0, version.find('.', dot + 1));
}

bool agree(std::string_view key, std::string_view a, std::string_view b) {
  return key == "sdk" ? binding_part(a) == binding_part(b) : a == b;
}

}  // namespace

const std::string* BuildStamp::find(std::string_view key) const {
  for (const auto& [name, value] : facts)
    if (name == key) return &value;
  return nullptr;
}

std::optional<BuildStamp> parse_stamp(std::string_view text) {
  if (!text.starts_with(kBegin)) return std::nullopt;
  text.remove_prefix(kBegin.size());
  BuildStamp stamp;
  while (text != kEnd) {
    const std::size_t semicolon = text.find(';');
    const std::size_t equals = text.substr(0, semicolon).find('=');
    if (semicolon == std::string_view::npos || equals == std::string_view::npos || equals == 0)
      return std::nullopt;
    std::string key(text.substr(0, equals));
    for (const char c : text.substr(0, semicolon))
      if (c < ' ' || c > '~') return std::nullopt;  // it will be printed
    if (stamp.find(key)) return std::nullopt;
    stamp.facts.emplace_back(std::move(key), text.substr(equals + 1, semicolon - equals - 1));
    text.remove_prefix(semicolon + 1);
  }
  return stamp;
}

const BuildStamp& host_stamp() {
  static const BuildStamp stamp = *parse_stamp(KINEMA_STAMP);
  return stamp;
}

std::string stamp_differences(const BuildStamp& host, const BuildStamp& library) {
  std::vector<std::string> differences;
  for (const auto& [key, expected] : host.facts) {
    const std::string* got = library.find(key);
    if (!got)
      differences.push_back(fmt::format("expected {} {}, got none", key, expected));
    else if (!agree(key, expected, *got))
      differences.push_back(fmt::format("expected {} {}, got {}", key, expected, *got));
  }
  for (const auto& [key, got] : library.facts)
    if (!host.find(key)) differences.push_back(fmt::format("expected no {}, got {}", key, got));
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace kinema::plugin
