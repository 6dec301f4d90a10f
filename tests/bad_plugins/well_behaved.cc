#include <filesystem>
#include <optional>

#include "empty_dataset.h"
#include "kinema/transform.h"

// A library as it should be: a data set with an option of every type, and a transform with none.
namespace {

enum class Split { train, test };

struct HoldoutOptions {
  double fraction = 0.25;
  std::optional<std::string> group_regex;
};

struct WellBehavedOptions {
  std::filesystem::path root;
  std::int64_t items = 3;
  double weight = 0.5;
  bool shuffle = true;
  std::string prefix = "item";
  Split subset = Split::train;
  std::optional<std::int64_t> limit;
  std::vector<std::string> include = {"*.avi", "*.mp4"};
  std::vector<std::int64_t> size = {112, 112};
  int depth = 18;
  HoldoutOptions holdout;
  kinema::Component<kinema::Dataset> fallback;
  std::vector<kinema::Component<kinema::Transform>> steps;
};

class WellBehaved final : public kinema::Dataset {
 public:
  WellBehaved(WellBehavedOptions options, std::vector<std::shared_ptr<kinema::Transform>> steps,
              std::shared_ptr<kinema::Dataset> fallback)
      : options_(std::move(options)), steps_(std::move(steps)), fallback_(std::move(fallback)) {}

  std::size_t size() const override {
    return static_cast<std::size_t>(options_.items) + (fallback_ ? fallback_->size() : 0);
  }
  std::vector<std::string> classes() const override {
    return {options_.prefix, options_.subset == Split::test ? "test" : "train",
            std::to_string(options_.depth)};
  }
  kinema::Item item(std::size_t index) const override {
    if (index >= size()) throw std::out_of_range("item");
    kinema::Item item;
    item.key = options_.prefix + "/" + std::to_string(index);
    item.weight = static_cast<float>(options_.weight);
    item.sources.push_back({.video = options_.root / item.key});
    item.target.label = static_cast<std::int64_t>(steps_.size());
    return item;
  }

 private:
  WellBehavedOptions options_;
  std::vector<std::shared_ptr<kinema::Transform>> steps_;
  std::shared_ptr<kinema::Dataset> fallback_;
};

class Nothing final : public kinema::Transform {};

std::shared_ptr<WellBehaved> make(const WellBehavedOptions& options, kinema::Context& context) {
  std::vector<std::shared_ptr<kinema::Transform>> steps;
  for (const auto& step : options.steps) steps.push_back(context.make(step));
  std::shared_ptr<kinema::Dataset> fallback;
  if (options.fallback) fallback = context.make(options.fallback);
  context.info("well_behaved: seed " + std::to_string(context.seed()) + ", classes " +
               std::to_string(context.num_classes()));
  return std::make_shared<WellBehaved>(options, std::move(steps), std::move(fallback));
}

}  // namespace

KINEMA_PLUGIN("well_behaved", "1.2", "shows every type of option") {
  using O = WellBehavedOptions;
  const auto holdout =
      kinema::Options<HoldoutOptions>()
          .add("fraction", &HoldoutOptions::fraction, "part that is held out", kinema::between(0, 1))
          .add("group_regex", &HoldoutOptions::group_regex, "items of one group stay together");
  registrar
      .add<kinema::Dataset>(
          "well_behaved", "a data set with an option of every type",
          kinema::Options<O>()
              .add("root", &O::root, "folder of the files")
              .required()
              .add("items", &O::items, "number of items", kinema::at_least(0))
              .add("weight", &O::weight, "weight of an item", kinema::above(0), kinema::at_most(10))
              .add("shuffle", &O::shuffle, "mix the order")
              .add("prefix", &O::prefix, "first part of the keys", kinema::not_empty())
              .add_enum("subset", &O::subset, "which part", {{"train", Split::train}, {"test", Split::test}})
              .add("limit", &O::limit, "use only so many")
              .add("include", &O::include, "patterns of file names")
              .renamed_from("globs")
              .add("size", &O::size, "height and width", kinema::length(2), kinema::each(kinema::at_least(1)))
              .add("depth", &O::depth, "a choice of numbers", kinema::one_of(10, 18, 34))
              .add_table("holdout", &O::holdout, "what is held out", holdout)
              .add("fallback", &O::fallback, "where missing items come from")
              .add("steps", &O::steps, "preparation of the pixels"),
          make)
      .preset("small", "few items", kinema::Value::table({{"items", 1}, {"prefix", "small"}}))
      .preset("deep", "34 of depth", kinema::Value::table({{"depth", 34}}));
  registrar.add<kinema::Transform>(
      "nothing", "leaves the clip alone", kinema::Options<kinema::NoOptions>(),
      [](const kinema::NoOptions&, kinema::Context&) { return std::make_shared<Nothing>(); });
}
