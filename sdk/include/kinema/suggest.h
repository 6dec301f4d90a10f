#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kinema/export.h"

namespace kinema {

// The name that was probably meant: the nearest by edit distance (a swap of two neighbours counts as one
// edit), when it is near enough to be no guess. Empty when there is none. The first of equals wins.
KINEMA_API std::string nearest_name(std::string_view wanted, const std::vector<std::string>& names);

// `did you mean "depth"?`, or empty.
KINEMA_API std::string did_you_mean(std::string_view wanted, const std::vector<std::string>& names);

// "one of a, b, c" for messages; long lists end in "... (40 in all)"; "nothing" when there are none.
KINEMA_API std::string one_of_text(const std::vector<std::string>& names);

}  // namespace kinema
