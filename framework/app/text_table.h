#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kinema::app {

// Rows of cells as lines of text, columns two spaces apart: numbers to the right, everything else to the
// left. The first row is the header, which decides nothing. Control characters become '?'.
std::string text_table(const std::vector<std::vector<std::string>>& rows);

// "12.3 MB"; powers of 1000.
std::string text_of_bytes(double bytes);

// "1 file", "2 files".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace kinema::app
