#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "annotations/text_file.h"

// Class names, and labels that are written as names or as numbers.
namespace kinema::annotations {

// One class name a line, in label order; or, where the file ends in .json, a list of names or a table of name
// and label. Throws Error(data) for repeats, gaps and files without names.
std::vector<std::string> read_class_names(const std::filesystem::path& file);

// The class names that the options `classes` and `classes_file` (or `label_map`) give; empty: none.
std::vector<std::string> given_classes(const std::vector<std::string>& names,
                                       const std::optional<std::filesystem::path>& file);

// Names of a list to their labels.
class ClassIndex {
 public:
  explicit ClassIndex(const std::vector<std::string>& names);
  std::optional<std::int64_t> find(const std::string& name) const;
  std::int64_t count() const { return count_; }

 private:
  std::unordered_map<std::string, std::int64_t> labels_;
  std::int64_t count_ = 0;
};

enum class ClassOrder { alphabetical, appearance };

// How the labels of a file become class indices.
struct LabelRules {
  std::vector<std::string> classes;             // given: these and no others, in this order
  ClassOrder order = ClassOrder::alphabetical;  // of names, by byte, where none are given
  std::optional<std::int64_t> first_label;      // of labels that are numbers; not given: seen from them
};

// A label as a file writes it, several of them, or none (a list for testing).
struct WrittenLabels {
  std::size_t line = 0;
  std::vector<std::string> labels;
};

struct ResolvedLabels {
  std::vector<std::string> classes;
  std::vector<std::vector<std::int64_t>> labels;  // of each entry; sorted, each once
  std::string remark;                             // worth a warning; may be empty
};

// Names that are given decide first. Labels that are all numbers are class indices: from 0, or from 1 when
// there is no 0 and the largest is the number of given classes. Other labels are names. Bad ones are added to
// `complaints`; the entry then has no label.
ResolvedLabels resolve_labels(const std::vector<WrittenLabels>& entries, const LabelRules& rules,
                              Complaints& complaints);

}  // namespace kinema::annotations
