#pragma once

#include <map>
#include <string>
#include <string_view>

namespace kinema::config {

// The texts that were read, by the name that messages use, so that a message can show the line it means.
class Sources {
 public:
  void add(const std::string& name, std::string text) { texts_[name] = std::move(text); }
  // Line `number` (from 1) without its line end; empty where there is none.
  std::string_view line(const std::string& name, int number) const;

 private:
  std::map<std::string, std::string> texts_;
};

}  // namespace kinema::config
