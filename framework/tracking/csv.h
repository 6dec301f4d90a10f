#pragma once

#include <string>
#include <vector>

namespace kinema::tracking {

// Rows of cells as a csv file, RFC 4180 with line feeds: cells with commas, quotes or line ends are quoted.
std::string csv_text(const std::vector<std::vector<std::string>>& rows);

}  // namespace kinema::tracking
