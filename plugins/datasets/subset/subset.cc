#include <algorithm>
#include <map>
#include <memory>

#include "annotations/text_file.h"
#include "choose.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::subset {
namespace {

enum class Method { random, balanced, representative };

struct SubsetOptions {
  Component<Dataset> of;
  std::optional<double> fraction;
  std::optional<std::int64_t> per_class;
  std::optional<std::filesystem::path> keys;
  Method method = Method::balanced;
  std::int64_t seed = 1;
  bool invert = false;
};

class Subset final : public Dataset, public HasBoxes {
 public:
  Subset(std::shared_ptr<Dataset> set, std::vector<std::size_t> kept)
      : set_(std::move(set)), kept_(std::move(kept)) {}
  std::size_t size() const override { return kept_.size(); }
  std::vector<std::string> classes() const override { return set_->classes(); }
  Item item(std::size_t index) const override { return set_->item(kept_.at(index)); }
  std::vector<std::int64_t> class_ids() const override {
    const auto* boxes = dynamic_cast<const HasBoxes*>(set_.get());
    return boxes == nullptr ? std::vector<std::int64_t>() : boxes->class_ids();
  }

 private:
  std::shared_ptr<Dataset> set_;
  std::vector<std::size_t> kept_;
};

// Classes of an item: its label, the values above 0, or those of its boxes.
std::vector<std::int64_t> classes_of(const Target& target) {
  std::vector<std::int64_t> classes;
  if (target.label >= 0) classes.push_back(target.label);
  for (std::size_t c = 0; c < target.values.size(); ++c)
    if (target.values[c] > 0) classes.push_back(static_cast<std::int64_t>(c));
  for (const LabelledBox& box : target.boxes)
    classes.insert(classes.end(), box.classes.begin(), box.classes.end());
  return classes;
}

std::vector<Card> cards_of(const Dataset& set) {
  std::vector<Card> cards;
  std::vector<std::vector<std::int64_t>> classes;
  std::map<std::int64_t, std::size_t> items_of_class;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const Item item = set.item(i);
    const bool known = item.span.unit == Span::Unit::frames || item.span.unit == Span::Unit::seconds;
    cards.push_back({item.key, -1, known ? item.span.end - item.span.begin : 0});
    classes.push_back(classes_of(item.target));
    for (const std::int64_t c : classes.back()) ++items_of_class[c];
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    const auto rarest = std::min_element(classes[i].begin(), classes[i].end(), [&](auto a, auto b) {
      return std::pair(items_of_class[a], a) < std::pair(items_of_class[b], b);
    });
    if (rarest != classes[i].end()) cards[i].group = *rarest;
  }
  return cards;
}

// The items that a file names, a key a line; in the order of the data set. Items of one key belong together.
std::vector<std::size_t> named(const std::vector<Card>& cards, const std::filesystem::path& file) {
  using namespace annotations;
  std::multimap<std::string, std::size_t> of_key;
  for (std::size_t i = 0; i < cards.size(); ++i) of_key.emplace(cards[i].key, i);
  Complaints complaints(file);
  std::vector<std::size_t> kept;
  for_each_line(file, {"a list of keys", {}}, [&](const Line& line) {
    const std::string key = trimmed(line.text);
    const auto [begin, end] = of_key.equal_range(key);
    if (begin == end)
      complaints.add(line.number, "unknown key: expected one of an item, like \"" +
                                      (cards.empty() ? "" : cards.front().key) + "\", got \"" + key + "\"");
    for (auto at = begin; at != end; ++at) kept.push_back(at->second);
  });
  complaints.report();
  std::sort(kept.begin(), kept.end());
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  return kept;
}

std::vector<std::size_t> chosen(const std::vector<Card>& cards, const SubsetOptions& options) {
  if (options.keys) return named(cards, *options.keys);
  if (options.per_class) return count_of_each(cards, *options.per_class, options.seed);
  switch (options.method) {
    case Method::random:
      return random_share(cards, *options.fraction, options.seed);
    case Method::balanced:
      return share_of_each(cards, *options.fraction, options.seed);
    case Method::representative:
      break;
  }
  return representative(cards, *options.fraction, options.seed);
}

std::vector<std::size_t> others(const std::vector<std::size_t>& indices, std::size_t count) {
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < count; ++i)
    if (!std::binary_search(indices.begin(), indices.end(), i)) rest.push_back(i);
  return rest;
}

std::shared_ptr<Dataset> make_subset(const SubsetOptions& options, Context& context) {
  std::shared_ptr<Dataset> set = context.make(options.of);
  const std::vector<Card> cards = cards_of(*set);
  std::vector<std::size_t> kept = chosen(cards, options);
  if (options.invert) kept = others(kept, cards.size());
  if (kept.empty())
    throw Error(ErrorKind::data, "subset",
                "nothing is left: expected some items, got none of " + std::to_string(cards.size()));
  if (options.method == Method::representative && options.fraction &&
      std::all_of(cards.begin(), cards.end(), [](const Card& card) { return card.length == 0; }))
    context.info(
        "subset: lengths are not known from the annotations; the share is representative by class alone");
  context.info("subset: " + std::to_string(kept.size()) + " of " + std::to_string(cards.size()) + " items");
  return std::make_shared<Subset>(std::move(set), std::move(kept));
}

std::vector<std::string> faults(const SubsetOptions& options) {
  const int ways =
      int{options.fraction.has_value()} + int{options.per_class.has_value()} + int{options.keys.has_value()};
  if (ways == 1) return {};
  return {"one way to choose: expected fraction, per_class or keys, got " +
          (ways == 0 ? std::string("none") : std::to_string(ways))};
}

}  // namespace
}  // namespace kinema::subset

KINEMA_PLUGIN("subset", "1.0", "a part of a data set") {
  using namespace kinema;
  using namespace kinema::subset;
  using O = SubsetOptions;
  registrar.add<Dataset>(
      "subset", "a part of a data set: a share, some of each class, or the items that a file names",
      Options<O>()
          .add("of", &O::of, "the data set")
          .required()
          .add("fraction", &O::fraction, "share of the items that is kept", above(0), at_most(1))
          .add("per_class", &O::per_class, "so many items of each class, or all where there are fewer",
               at_least(1))
          .add("keys", &O::keys, "file with the keys of the items, one a line")
          .add_enum(
              "method", &O::method,
              "of fraction. balanced: the same share of each class; representative: besides, short and long "
              "items as in the whole, where lengths are known; random: of all items",
              {{"balanced", Method::balanced},
               {"representative", Method::representative},
               {"random", Method::random}})
          .add("seed", &O::seed, "another number chooses others")
          .add("invert", &O::invert, "keeps what would be left out")
          .check(faults),
      make_subset);
}
