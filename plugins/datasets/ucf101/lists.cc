#include "lists.h"

#include <algorithm>
#include <optional>

#include "annotations/paths.h"

namespace kinema::ucf101 {
namespace {

using namespace annotations;

const Expected kList = {"an official UCF101 list",
                        "annotations names the folder with classInd.txt, trainlist0N.txt and testlist0N.txt"};

}  // namespace

std::vector<std::string> read_class_index(const std::filesystem::path& file) {
  Complaints complaints(file);
  std::vector<std::string> classes;
  for (const Line& line : read_lines(file, kList)) {
    const std::vector<std::string> fields = words(line.text);
    const auto id = as_integer(fields[0]);
    const auto expected = std::ssize(classes) + 1;
    if (fields.size() != 2 || !id) {
      complaints.add(line.number, "not a class: expected `id name`, got \"" + line.text + "\"");
    } else if (*id != expected) {
      complaints.add(line.number, "ids count from 1 without gaps: expected " + std::to_string(expected) +
                                      ", got " + fields[0]);
    } else if (std::find(classes.begin(), classes.end(), fields[1]) != classes.end()) {
      complaints.add(line.number, "repeated class: expected each name once, got \"" + fields[1] + "\" twice");
    }
    classes.push_back(fields.size() > 1 ? fields[1] : "");
  }
  complaints.report();
  if (classes.empty())
    throw Error(ErrorKind::data, file.string(), "an empty file: expected lines of `id name`, got none");
  return classes;
}

Clips read_split(const std::filesystem::path& file, const std::vector<std::string>& classes, bool with_ids) {
  Complaints complaints(file);
  const ClassIndex index(classes);
  Clips clips;
  for_each_line(file, kList, [&](const Line& line) {
    const std::vector<std::string> fields = words(line.text);
    const std::string& path = fields[0];
    const std::size_t slash = path.find('/');
    if (fields.size() != (with_ids ? 2u : 1u) || slash == std::string::npos || !refused(path).empty()) {
      complaints.add(line.number, std::string("not a clip: expected `class/file.avi") +
                                      (with_ids ? " id" : "") + "`, got \"" + line.text + "\"");
      return;
    }
    const std::string name = path.substr(0, slash);
    const std::optional<std::int64_t> label = index.find(name);
    if (!label) {
      complaints.add(line.number, "unknown class: expected one of classInd.txt, got \"" + name + "\"");
      return;
    }
    const std::string id = std::to_string(*label + 1);
    if (with_ids && fields[1] != id) {
      complaints.add(line.number, "the id does not belong to the folder: expected " + id + " for " + name +
                                      ", got " + fields[1]);
      return;
    }
    clips.push_back({.path = path, .label = *label});
  });
  complaints.report();
  if (clips.empty()) throw Error(ErrorKind::data, file.string(), "an empty list: expected clips, got none");
  return clips;
}

}  // namespace kinema::ucf101
