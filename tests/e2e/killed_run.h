#pragma once

#include <string>
#include <vector>

#include "tests/e2e/project.h"

// Runs that are killed without warning and resumed.
namespace kinema::e2e {

// Saves each step and watches a metric, so that there is something to lose.
extern const std::vector<std::string> kWatched;

std::vector<std::string> with(std::vector<std::string> a, const std::vector<std::string>& b);

// Kills a run with SIGKILL once it has saved `step` (0: has a folder), and `delay_us` later.
void killed_after(const Project& project, const std::vector<std::string>& settings, int step, int delay_us);

// Trains tiny.toml once in peace; then again for each of `steps`, killed after it and resumed: weights,
// optimizer state, counters and kept checkpoints must equal, byte by byte.
void expect_resumes_byte_equal(const std::vector<std::string>& settings, const std::vector<int>& steps);

}  // namespace kinema::e2e
