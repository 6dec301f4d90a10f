#pragma once

#include <string>

namespace kinema::plugin {

// SHA-256 of a file's bytes as 64 hex digits. Throws Error(plugin) when it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace kinema::plugin
