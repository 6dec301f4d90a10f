#include "framework/data/flip_labels.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "kinema/error.h"
#include "kinema/suggest.h"

namespace kinema::data {
namespace {

std::int64_t mirror_of(std::int64_t label, const std::vector<std::int64_t>& mirrored) {
  const bool known = label >= 0 && label < std::ssize(mirrored);
  return known ? mirrored[static_cast<std::size_t>(label)] : label;
}

void mirror(std::vector<LabelledBox>& boxes, const std::vector<std::int64_t>& mirrored) {
  for (LabelledBox& box : boxes)
    for (std::int64_t& label : box.classes) label = mirror_of(label, mirrored);
}

}  // namespace

std::vector<std::int64_t> mirrored_classes(const std::vector<std::vector<std::string>>& pairs,
                                           const std::vector<std::string>& classes) {
  std::vector<std::int64_t> mirrored(classes.size());
  std::iota(mirrored.begin(), mirrored.end(), 0);
  std::vector<Problem> problems;
  const auto label_of = [&](const std::string& name) -> std::int64_t {
    const auto found = std::find(classes.begin(), classes.end(), name);
    if (found != classes.end()) return found - classes.begin();
    problems.push_back({"clip.train.flip_labels",
                        fmt::format("unknown class: expected {}, got \"{}\"", one_of_text(classes), name),
                        did_you_mean(name, classes),
                        {}});
    return -1;
  };
  for (const std::vector<std::string>& pair : pairs) {
    const std::int64_t one = label_of(pair.at(0)), other = label_of(pair.at(1));
    if (one < 0 || other < 0) continue;
    mirrored[static_cast<std::size_t>(one)] = other;
    mirrored[static_cast<std::size_t>(other)] = one;
  }
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  return mirrored;
}

void mirror(Target& target, const std::vector<std::int64_t>& mirrored) {
  target.label = mirror_of(target.label, mirrored);
  const std::vector<float> values = target.values;
  for (std::size_t c = 0; c < values.size() && c < mirrored.size(); ++c)
    target.values[static_cast<std::size_t>(mirrored[c])] = values[c];
  mirror(target.boxes, mirrored);
  if (target.truth) mirror(*target.truth, mirrored);
}

}  // namespace kinema::data
