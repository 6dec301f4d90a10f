#include <algorithm>
#include <memory>
#include <optional>
#include <unordered_map>

#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::concat {
namespace {

enum class Classes { equal, unite };

struct ConcatOptions {
  std::vector<Component<Dataset>> sets;
  Classes classes = Classes::equal;
};

struct Part {
  std::shared_ptr<Dataset> set;
  std::size_t begin = 0;             // index of its first item
  std::vector<std::int64_t> labels;  // its labels among the classes of all
};

class Concat final : public Dataset, public HasBoxes {
 public:
  Concat(std::vector<std::string> classes, std::vector<Part> parts, std::vector<std::int64_t> class_ids)
      : classes_(std::move(classes)), parts_(std::move(parts)), class_ids_(std::move(class_ids)) {}

  std::size_t size() const override { return parts_.back().begin + parts_.back().set->size(); }
  std::vector<std::string> classes() const override { return classes_; }
  std::vector<std::int64_t> class_ids() const override { return class_ids_; }
  Item item(std::size_t index) const override {
    const auto after = std::upper_bound(parts_.begin(), parts_.end(), index,
                                        [](std::size_t i, const Part& part) { return i < part.begin; });
    const Part& part = *std::prev(after);
    Item item = part.set->item(index - part.begin);
    translate(part, item.target);
    return item;
  }

 private:
  void translate(const Part& part, Target& target) const {
    const auto label = [&](std::int64_t own) { return part.labels.at(static_cast<std::size_t>(own)); };
    if (target.label >= 0) target.label = label(target.label);
    if (!target.values.empty()) {
      std::vector<float> values(classes_.size());
      for (std::size_t c = 0; c < target.values.size(); ++c)
        values[static_cast<std::size_t>(label(static_cast<std::int64_t>(c)))] = target.values[c];
      target.values = std::move(values);
    }
    const auto rename = [&](std::vector<LabelledBox>& boxes) {
      for (LabelledBox& box : boxes)
        for (std::int64_t& own : box.classes) own = label(own);
    };
    rename(target.boxes);
    if (target.truth) rename(*target.truth);
  }

  std::vector<std::string> classes_;
  std::vector<Part> parts_;
  std::vector<std::int64_t> class_ids_;
};

// The numbers of the classes in files of detections; none for sets of clips.
std::vector<std::int64_t> class_ids(const std::vector<Part>& parts, std::size_t classes,
                                    std::vector<Problem>& problems) {
  std::vector<std::optional<std::int64_t>> ids(classes);
  std::size_t with_boxes = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const auto* boxes = dynamic_cast<const HasBoxes*>(parts[p].set.get());
    const std::vector<std::int64_t> own = boxes == nullptr ? std::vector<std::int64_t>() : boxes->class_ids();
    with_boxes += own.empty() ? 0 : 1;
    for (std::size_t c = 0; c < own.size(); ++c) {
      std::optional<std::int64_t>& id = ids.at(static_cast<std::size_t>(parts[p].labels[c]));
      if (id.value_or(own[c]) != own[c])
        problems.push_back({"concat, set " + std::to_string(p), "another number of a class: expected " +
                                                                    std::to_string(*id) + ", got " +
                                                                    std::to_string(own[c])});
      id = own[c];
    }
  }
  if (with_boxes == 0) return {};
  if (with_boxes < parts.size())
    problems.push_back({"concat", "boxes in some sets: expected them in all or none, got " +
                                      std::to_string(with_boxes) + " of " + std::to_string(parts.size())});
  std::vector<std::int64_t> all;
  for (const auto& id : ids) all.push_back(id.value_or(0));
  return all;
}

void check_equal(const std::vector<std::string>& first, const std::vector<std::string>& other,
                 std::size_t number, std::vector<Problem>& problems) {
  if (first == other) return;
  const auto [a, b] = std::mismatch(first.begin(), first.end(), other.begin(), other.end());
  const auto at = [](const std::vector<std::string>& list, auto it) {
    return it == list.end() ? std::string("nothing") : "\"" + *it + "\"";
  };
  problems.push_back({"concat, set " + std::to_string(number),
                      "other classes than set 0: expected " + at(first, a) + " at label " +
                          std::to_string(a - first.begin()) + ", got " + at(other, b) + " (" +
                          std::to_string(first.size()) + " and " + std::to_string(other.size()) + " classes)",
                      "classes = \"unite\" puts them together by name",
                      {}});
}

std::shared_ptr<Dataset> make_concat(const ConcatOptions& options, Context& context) {
  std::vector<Part> parts;
  std::vector<std::string> classes;
  std::unordered_map<std::string, std::int64_t> labels;
  std::vector<Problem> problems;
  std::size_t items = 0;
  for (const Component<Dataset>& component : options.sets) {
    Part part{context.make(component), items, {}};
    const std::vector<std::string> own = part.set->classes();
    if (!parts.empty() && options.classes == Classes::equal)
      check_equal(classes, own, parts.size(), problems);
    for (const std::string& name : own) {
      const auto [at, is_new] = labels.try_emplace(name, std::ssize(classes));
      if (is_new) classes.push_back(name);
      part.labels.push_back(at->second);
    }
    items += part.set->size();
    parts.push_back(std::move(part));
  }
  std::vector<std::int64_t> ids;
  if (problems.empty()) ids = class_ids(parts, classes.size(), problems);
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return std::make_shared<Concat>(std::move(classes), std::move(parts), std::move(ids));
}

}  // namespace
}  // namespace kinema::concat

KINEMA_PLUGIN("concat", "1.0", "several data sets one after another") {
  using namespace kinema;
  using namespace kinema::concat;
  using O = ConcatOptions;
  registrar.add<Dataset>(
      "concat", "several data sets one after another",
      Options<O>()
          .add("sets", &O::sets, "the data sets", not_empty())
          .required()
          .add_enum(
              "classes", &O::classes,
              "equal: all sets have the same list; unite: classes of one name are one, in the order in which "
              "the sets name them",
              {{"equal", Classes::equal}, {"unite", Classes::unite}}),
      make_concat);
}
