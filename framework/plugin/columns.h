#pragma once

#include <string>
#include <vector>

namespace kinema::plugin {

// Rows of cells as aligned text: `indent` spaces, two spaces between columns, columns that are empty in every
// row left out, no spaces at the end of a line. All rows have the same number of cells.
std::string columns_text(const std::vector<std::vector<std::string>>& rows, int indent);

}  // namespace kinema::plugin
