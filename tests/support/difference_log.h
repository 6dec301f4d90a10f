#pragma once

#include <string>

namespace kinema::test {

// The differences from reference implementations that the tests of this build folder have seen, for
// docs/models.md. `what` is "logits" (of their deviation, float32) or "gradients" (of their norm, float64).
void note_difference(const std::string& reference, const std::string& one_case, const std::string& what,
                     double value);

// The largest of a reference's cases; below 0: none was compared.
double largest_difference(const std::string& reference, const std::string& what);

}  // namespace kinema::test
