#pragma once

#include <string>

namespace kinema::tracking {

// One word as it can be pasted into a shell: quoted where it has to be.
std::string shell_word(const std::string& word);

}  // namespace kinema::tracking
