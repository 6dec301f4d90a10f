#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace kinema::data {

// Whether many files exist, without opening any. A folder of which many files are asked for is read once
// instead of asking the file system for each of them; what such a reading cannot say (a link, a name that it
// does not show) is asked for alone, so the answers are those of std::filesystem::exists.
class PresentFiles {
 public:
  // Another question; the path is copied.
  void ask(std::string_view path);
  std::size_t size() const { return names_.size(); }
  // The answers to all questions since the last call, in their order. On as many threads as there are cores.
  std::vector<char> answer();

 private:
  struct Name {
    std::uint32_t folder = 0, size = 0;
    std::size_t at = 0;  // in text_
  };
  std::string_view text_of(const Name& name) const {
    return std::string_view(text_).substr(name.at, name.size);
  }
  // Answers for those of one folder.
  void look(std::vector<std::uint32_t>::const_iterator begin, std::vector<std::uint32_t>::const_iterator end,
            std::vector<char>& there) const;

  std::unordered_map<std::string, std::uint32_t> folders_;  // with their last '/'
  std::vector<const std::string*> folder_names_;
  std::vector<Name> names_;
  std::string text_;
};

}  // namespace kinema::data
