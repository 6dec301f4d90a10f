#include "framework/data/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "framework/data/present_files.h"
#include "framework/data/shard_set.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

constexpr std::size_t kShown = 5;          // files
constexpr std::size_t kShownClasses = 12;  // of a list

std::string first_of(const std::vector<std::string>& names, std::size_t shown) {
  const std::vector<std::string> head(
      names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())));
  return fmt::format("{}{}", fmt::join(head, ", "), names.size() > shown ? ", ..." : "");
}

// What must exist for an item, and what is said to be missing where it does not. A video of the shards need
// not.
template <class F>
void for_each_file(const Item& item, const ShardSet* shards, F&& file) {
  for (const Source& source : item.sources) {
    const bool in_shard = shards != nullptr && !source.video.empty() && shards->find(source.video) != nullptr;
    if (!source.video.empty() && !in_shard) file(source.video, source.video);
    for (const std::filesystem::path* pattern : {&source.pattern, &source.pattern_down})
      if (!pattern->empty()) file(pattern->parent_path(), *pattern);
  }
}

// Counts the items without a file. Some hundred thousand files are looked for at a time: then each folder is
// read a few times at most, and the names of a million files are not all in memory.
class MissingFiles {
 public:
  MissingFiles(const Dataset& dataset, const ShardSet* shards, DataReport& report)
      : dataset_(dataset), shards_(shards), report_(report) {}

  void ask(std::size_t index, const Item& item) {
    for_each_file(item, shards_, [&](const std::filesystem::path& file, const std::filesystem::path&) {
      files_.ask(file.native());
      owners_.push_back(index);
    });
    if (files_.size() >= kAtOnce) count();
  }
  void count() {
    const std::vector<char> there = files_.answer();
    for (std::size_t i = 0, number = 0; i < there.size(); ++i) {
      const bool same = i > 0 && owners_[i] == owners_[i - 1];
      number = same ? number + 1 : 0;
      const bool counted = !gone_.empty() && gone_.back().item == owners_[i];  // an item counts once
      if (!there[i] && !counted) gone_.push_back({owners_[i], number});
    }
    owners_.clear();
    report_.missing = gone_.size();
  }
  std::string first() const { return shown(gone_.front()); }
  void list() {
    for (const Gone& gone : gone_) report_.missing_files.push_back(shown(gone));
  }

 private:
  static constexpr std::size_t kAtOnce = std::size_t{1} << 19;

  struct Gone {
    std::size_t item = 0, number = 0;  // of the item's files
  };

  std::string shown(const Gone& gone) const {
    std::string text;
    for_each_file(dataset_.item(gone.item), shards_,
                  [&, number = std::size_t{0}](const auto&, const auto& name) mutable {
                    if (number++ == gone.number) text = name.string();
                  });
    return text;
  }

  const Dataset& dataset_;
  const ShardSet* shards_;
  DataReport& report_;
  PresentFiles files_;
  std::vector<std::size_t> owners_;  // item of each file
  std::vector<Gone> gone_;
};

std::string box_misfit(const std::vector<LabelledBox>& boxes, std::int64_t classes) {
  for (const LabelledBox& box : boxes) {
    for (const std::int64_t label : box.classes)
      if (label < 0 || label >= classes)
        return fmt::format("a box of an unknown class: expected labels 0 to {}, got {}", classes - 1, label);
    if (!(box.x1 <= box.x2) || !(box.y1 <= box.y2) || !std::isfinite(box.x2 - box.x1 + box.y2 - box.y1))
      return fmt::format("not a box: expected x1 <= x2 and y1 <= y2, got {}, {}, {}, {}", box.x1, box.y1,
                         box.x2, box.y2);
  }
  return {};
}

void check_class_names(const std::vector<std::string>& classes, const std::string& name,
                       std::vector<Problem>& problems) {
  std::set<std::string> seen;
  for (const std::string& text : classes)
    if (!seen.insert(text).second)
      problems.push_back(
          {name, "repeated class: expected each name once, got \"" + text + "\" twice", {}, {}});
}

void count_target(const Item& item, std::size_t index, const std::string& name, DataReport& report,
                  std::vector<Problem>& problems) {
  const auto classes = static_cast<std::int64_t>(report.items_of_class.size());
  const std::int64_t label = item.target.label;
  const std::vector<float>& values = item.target.values;
  if (std::string wrong = misfit(item.target, classes); !wrong.empty()) {
    if (problems.size() < kShown)
      problems.push_back({fmt::format("{} item {} ({})", name, index, item.key), std::move(wrong), {}, {}});
    return;
  }
  if (label >= 0) ++report.items_of_class[static_cast<std::size_t>(label)];
  for (std::size_t c = 0; c < values.size(); ++c) report.items_of_class[c] += values[c] > 0 ? 1 : 0;
  std::set<std::int64_t> in_boxes;
  for (const LabelledBox& box : item.target.truth ? *item.target.truth : item.target.boxes)
    in_boxes.insert(box.classes.begin(), box.classes.end());
  for (const std::int64_t c : in_boxes) ++report.items_of_class[static_cast<std::size_t>(c)];
}

void warn_about_classes(const DataReport& report, const std::vector<std::string>& classes,
                        const std::string& name, std::vector<std::string>& warnings) {
  const auto with = [&](std::size_t count) {
    std::vector<std::string> names;
    for (std::size_t c = 0; c < classes.size(); ++c)
      if (report.items_of_class[c] == count) names.push_back(classes[c]);
    return names;
  };
  if (const auto names = with(0); !names.empty() && names.size() < classes.size())
    warnings.push_back(fmt::format("{}: {} of {} classes have no item: {}", name, names.size(),
                                   classes.size(), first_of(names, kShownClasses)));
  if (const auto names = with(1); !names.empty())
    warnings.push_back(fmt::format("{}: {} of {} classes have a single item: {}", name, names.size(),
                                   classes.size(), first_of(names, kShownClasses)));
}

}  // namespace

bool detects(const Dataset& dataset) {
  const auto* boxes = dynamic_cast<const HasBoxes*>(&dataset);
  return boxes != nullptr && !boxes->class_ids().empty();
}

std::string misfit(const Target& target, std::int64_t classes) {
  for (const auto* boxes : {&target.boxes, target.truth ? &*target.truth : nullptr})
    if (std::string wrong = boxes == nullptr ? "" : box_misfit(*boxes, classes); !wrong.empty()) return wrong;
  for (const TimedLabel& timed : target.timed)
    if (timed.label < 0 || timed.label >= std::ssize(target.values))
      return fmt::format("a timed label of an unknown class: expected 0 to {}, got {}",
                         std::ssize(target.values) - 1, timed.label);
  const bool label_fits = target.label >= -1 && target.label < classes;
  if (label_fits && (target.values.empty() || std::ssize(target.values) == classes)) return {};
  return fmt::format(
      "the target does not fit the classes: expected a label below {0} and none or {0} values, "
      "got label {1} and {2} values",
      classes, target.label, target.values.size());
}

DataReport inspect(const Dataset& dataset, const std::string& name, const ShardSet* shards) {
  const std::vector<std::string> classes = dataset.classes();
  DataReport report;
  report.items = dataset.size();
  report.items_of_class.resize(classes.size());
  std::vector<Problem> problems;
  if (report.items == 0)
    problems.push_back({name, "no items: expected at least one video, got none", {}, {}});
  check_class_names(classes, name, problems);
  MissingFiles missing(dataset, shards, report);
  for (std::size_t i = 0; i < report.items; ++i) {
    const Item item = dataset.item(i);
    count_target(item, i, name, report, problems);
    missing.ask(i, item);
  }
  missing.count();
  if (report.missing > 0 && report.missing == report.items)
    problems.push_back(
        {name,
         fmt::format("none of the {} files exists: expected {}, got nothing", report.items, missing.first()),
         "is root the folder that the paths start from?",
         {}});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  missing.list();
  if (report.missing > 0)
    report.warnings.push_back(fmt::format("{}: {} of {} files do not exist: {}", name, report.missing,
                                          report.items, first_of(report.missing_files, kShown)));
  warn_about_classes(report, classes, name, report.warnings);
  return report;
}

void check_classes_agree(const std::vector<std::string>& train, const std::vector<std::string>& eval,
                         const std::string& train_name, const std::string& eval_name) {
  if (train == eval) return;
  const auto [a, b] = std::mismatch(train.begin(), train.end(), eval.begin(), eval.end());
  const auto at = [](const std::vector<std::string>& list, auto it) {
    return it == list.end() ? std::string("nothing") : "\"" + *it + "\"";
  };
  throw Error(ErrorKind::data,
              {{"data",
                fmt::format("the classes of {} and {} differ: expected {} at label {}, got {}", train_name,
                            eval_name, at(train, a), a - train.begin(), at(eval, b)),
                "both must name the same classes in the same order",
                {}},
               {train_name, fmt::format("{} classes: {}", train.size(), fmt::join(train, ", ")), {}, {}},
               {eval_name, fmt::format("{} classes: {}", eval.size(), fmt::join(eval, ", ")), {}, {}}});
}

void check_missing(const DataReport& report, const std::string& name, double max_fraction) {
  if (static_cast<double>(report.missing) <= max_fraction * static_cast<double>(report.items)) return;
  std::vector<Problem> problems;
  for (std::size_t i = 0; i < std::min(kShown, report.missing_files.size()); ++i)
    problems.push_back(
        {report.missing_files[i], "no such file: expected a source of the data set, got nothing", {}, {}});
  problems.push_back(
      {name,
       fmt::format("too many files do not exist: expected at most {:g} of the items, got {} of {}",
                   max_fraction, report.missing, report.items),
       "look at root, or raise loader.max_bad_fraction",
       {}});
  throw Error(ErrorKind::data, std::move(problems));
}

}  // namespace kinema::data
