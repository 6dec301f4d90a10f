#include "framework/checkpoint/store_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "framework/checkpoint/file_io.h"
#include "kinema/error.h"

namespace kinema::checkpoint {
namespace {

constexpr std::size_t kMaxNameLength = 200;
constexpr std::string_view kStepPrefix = "step-";

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

bool marked(std::string_view name, std::string_view mark) {
  const auto at = name.rfind(mark);
  return at != std::string_view::npos && at > 0 && digits(name.substr(at + mark.size()));
}

bool name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("._-+=@").find(c) != std::string_view::npos;
}

}  // namespace

bool is_temporary(std::string_view name) { return marked(name, kTemporaryMark); }
bool is_aside(std::string_view name) { return marked(name, kAsideMark); }

bool is_step(std::string_view name) {
  return name.starts_with(kStepPrefix) && name.size() >= kStepPrefix.size() + 8 &&
         digits(name.substr(kStepPrefix.size()));
}

std::string base_of_aside(const std::string& name) { return name.substr(0, name.rfind(kAsideMark)); }

void check_checkpoint_name(const std::string& name) {
  const bool good = !name.empty() && name.size() <= kMaxNameLength && name.front() != '.' &&
                    std::all_of(name.begin(), name.end(), name_character) &&
                    name.find(kTemporaryMark) == std::string::npos &&
                    name.find(kAsideMark) == std::string::npos;
  if (!good)
    throw Error(ErrorKind::usage, "checkpoint '" + name + "'",
                "bad name: expected 1 to 200 letters, digits and . _ - + = @, without a leading dot, got '" +
                    name + "'");
}

std::string best_link_name(const std::string& monitor) {
  std::string name = "best-" + monitor;
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !name_character(c); }, '_');
  return name;
}

std::vector<std::string> checkpoint_names(FileSystem& system, const std::string& folder) {
  std::vector<std::string> names;
  const std::vector<std::string> present = list(system, folder);
  for (const std::string& name : present) {
    if (name.front() == '.' || is_temporary(name)) continue;
    if (is_aside(name) && std::binary_search(present.begin(), present.end(), base_of_aside(name))) continue;
    if (status(system, join(folder, name)).type == FileType::folder) names.push_back(name);
  }
  return names;
}

}  // namespace kinema::checkpoint
