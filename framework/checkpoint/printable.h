#pragma once

#include <string>
#include <string_view>

namespace kinema::checkpoint {

// Text of a hostile file for an error message: in single quotes, at most 80 bytes, everything but printable
// ASCII as \xNN.
std::string printable(std::string_view text);

}  // namespace kinema::checkpoint
