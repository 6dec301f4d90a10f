#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
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

// The labels of entries as a file writes them: one, several, or none (a list for testing). A text that many
// entries have is kept once.
class WrittenLabels {
 public:
  WrittenLabels() = default;
  WrittenLabels(WrittenLabels&&) = default;
  WrittenLabels& operator=(WrittenLabels&&) = default;
  void add(std::size_t line, std::span<const std::string_view> labels);
  void add(std::size_t line, const std::vector<std::string>& labels);
  std::size_t size() const { return lines_.size(); }
  std::size_t line(std::size_t entry) const { return lines_[entry]; }
  // Places in texts().
  std::span<const std::uint32_t> of(std::size_t entry) const;
  // All that there are, by their first appearance.
  const std::deque<std::string>& texts() const { return texts_; }

 private:
  void add_text(std::string_view text);
  std::deque<std::string> texts_;
  std::unordered_map<std::string_view, std::uint32_t> places_;
  std::vector<std::uint32_t> lines_, ends_, of_entries_;
};

struct ResolvedLabels {
  std::vector<std::string> classes;
  std::vector<std::int64_t> of_text;  // of the texts that are written; -1: none
  std::string remark;                 // worth a warning; may be empty
};

// Of one entry; sorted, each once.
std::vector<std::int64_t> labels_of(const WrittenLabels& written, std::size_t entry,
                                    const ResolvedLabels& resolved);

// Names that are given decide first. Labels that are all numbers are class indices: from 0, or from 1 when
// there is no 0 and the largest is the number of given classes. Other labels are names. Bad ones are added to
// `complaints`; the entry then has no label.
ResolvedLabels resolve_labels(const WrittenLabels& written, const LabelRules& rules, Complaints& complaints);

}  // namespace kinema::annotations
