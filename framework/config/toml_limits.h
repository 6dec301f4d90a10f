#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "kinema/error.h"

namespace kinema::config {

constexpr std::size_t kMaxTomlBytes = 1 << 20;
constexpr int kMaxTomlDepth = 32;          // tables and arrays inside each other
constexpr std::size_t kMaxValues = 20000;  // in one file

// Refuses what a parser should not even see: too long, not UTF-8, NUL bytes, nested too deeply (a recursive
// parser would run out of stack). One problem at most, at its place in `source`.
void check_toml_limits(std::string_view text, const Origin& source, std::vector<Problem>& problems);

// A problem at a place: `where` is made from the origin, and from the key's path where there is no line.
Problem problem_at(const Origin& origin, const std::string& path, std::string what, std::string hint = {});

}  // namespace kinema::config
