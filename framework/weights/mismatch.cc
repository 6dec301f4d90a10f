#include "framework/weights/mismatch.h"

#include <fmt/format.h>

#include <algorithm>

#include "kinema/suggest.h"

namespace kinema::weights {
namespace {

constexpr std::size_t kShown = 20;  // of a kind

std::string shape_text(at::IntArrayRef sizes) {
  return fmt::format("[{}]", fmt::join(sizes.begin(), sizes.end(), ", "));
}

std::vector<std::string> names_of(const std::vector<NamedTensor>& tensors) {
  std::vector<std::string> names;
  for (const NamedTensor& named : tensors) names.push_back(named.name);
  return names;
}

// "a, b, c, ... (40 in all)"
std::string short_list(std::vector<std::string> names) {
  constexpr std::size_t kNamed = 4;
  const std::size_t all = names.size();
  names.resize(std::min(all, kNamed));
  return fmt::format("{}{}", fmt::join(names, ", "),
                     all > kNamed ? fmt::format(", ... ({} in all)", all) : "");
}

void add_rest(std::vector<Problem>& problems, const std::string& where, std::size_t all, const char* kind) {
  if (all > kShown)
    problems.push_back(
        {where,
         fmt::format("{} more {} tensors: expected none, got {} in all", all - kShown, kind, all),
         {},
         {}});
}

}  // namespace

std::vector<Problem> problems_of(const Mismatch& mismatch, const std::string& where) {
  std::vector<Problem> problems;
  const std::vector<std::string> strangers = names_of(mismatch.unexpected);
  for (std::size_t i = 0; i < std::min(kShown, mismatch.missing.size()); ++i) {
    const auto& [name, tensor] = mismatch.missing[i];
    problems.push_back(
        {where,
         fmt::format("missing tensor \"{}\": expected {}, got none", name, shape_text(tensor.sizes())),
         did_you_mean(name, strangers),
         {}});
  }
  add_rest(problems, where, mismatch.missing.size(), "missing");
  for (std::size_t i = 0; i < std::min(kShown, mismatch.misshapen.size()); ++i) {
    const Mismatch::Shape& shape = mismatch.misshapen[i];
    problems.push_back({where,
                        fmt::format("wrong shape of tensor \"{}\": expected {}, got {}", shape.name,
                                    shape_text(shape.expected), shape_text(shape.got)),
                        {},
                        {}});
  }
  add_rest(problems, where, mismatch.misshapen.size(), "misshapen");
  for (std::size_t i = 0; i < std::min(kShown, mismatch.unexpected.size()); ++i) {
    const auto& [name, tensor] = mismatch.unexpected[i];
    problems.push_back({where,
                        fmt::format("unexpected tensor \"{}\": expected no such name, got {}", name,
                                    shape_text(tensor.sizes())),
                        {},
                        {}});
  }
  add_rest(problems, where, mismatch.unexpected.size(), "unexpected");
  if (!problems.empty() && problems.back().hint.empty())
    problems.back().hint = "strict = false in [model] loads what fits and leaves the rest as it was drawn";
  return problems;
}

std::vector<std::string> notes_of(const Mismatch& mismatch) {
  std::vector<std::string> notes, misshapen;
  for (const Mismatch::Shape& shape : mismatch.misshapen)
    misshapen.push_back(
        fmt::format("{} ({} instead of {})", shape.name, shape_text(shape.got), shape_text(shape.expected)));
  if (!mismatch.missing.empty())
    notes.push_back("not in the file, left as drawn: " + short_list(names_of(mismatch.missing)));
  if (!misshapen.empty()) notes.push_back("of another shape, left as drawn: " + short_list(misshapen));
  if (!mismatch.unexpected.empty())
    notes.push_back("not in the model, ignored: " + short_list(names_of(mismatch.unexpected)));
  return notes;
}

}  // namespace kinema::weights
