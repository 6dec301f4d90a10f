#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kinema::plugin {

// The facts of a build stamp (kinema/stamp.h), in the order of its text.
struct BuildStamp {
  std::vector<std::pair<std::string, std::string>> facts;

  // Null when the stamp does not say.
  const std::string* find(std::string_view key) const;
};

// Nothing when the text has not the form "kinema-stamp;key=value;...;end" or says a key twice.
std::optional<BuildStamp> parse_stamp(std::string_view text);

// What this program was built with.
const BuildStamp& host_stamp();

// Every difference that forbids loading: "expected torch 2.11.0, got 2.10.0; expected ...". Empty: none.
// SDK versions follow kinema/version.h: majors must be equal, before 1.0 minors too. All other facts must be
// equal, unknown ones included.
std::string stamp_differences(const BuildStamp& host, const BuildStamp& library);

}  // namespace kinema::plugin
