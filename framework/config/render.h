#pragma once

#include <string>
#include <vector>

#include "framework/config/sources.h"
#include "kinema/error.h"

namespace kinema::config {

// An error as a person reads it, each problem as
//
//   exp.toml:12:1: unknown key: expected one of depth, width, got "dept"
//      12 | dept = 50
//         | ^
//   hint: did you mean "depth"?
//
// with a line end after each line. Long source lines are cut around the place; control characters are shown
// as
// "?". `colour`: with terminal escapes. Beyond 50 problems only their number is told.
std::string render(const std::vector<Problem>& problems, const Sources& sources, bool colour);
inline std::string render(const Error& error, const Sources& sources, bool colour) {
  return render(error.problems(), sources, colour);
}

}  // namespace kinema::config
