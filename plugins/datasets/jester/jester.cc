#include <memory>

#include "annotations/clip_list.h"
#include "annotations/csv.h"
#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::jester {
namespace {

using namespace annotations;

struct JesterOptions {
  std::filesystem::path root;
  std::optional<std::filesystem::path> annotations, labels, list;
  std::string subset = "train";
  std::string pictures = "%05d.jpg";
  double fps = 12;
  Missing missing = Missing::keep;
};

// `id;label`, or `id` alone in the test list.
void read_row(const Line& line, const JesterOptions& options, Listing& listing, Complaints& complaints) {
  const auto fields = csv_fields(line.text, ';');
  const bool test = options.subset == "test";
  const std::string text = fields && fields->size() == 2 ? trimmed(fields->back()) : "";
  const bool fits = fields && fields->size() <= 2 && (test || !text.empty());
  const std::string id = fits ? trimmed(fields->front()) : "";
  if (id.empty() || id.find('/') != std::string::npos || id == "..")
    return complaints.add(line.number, std::string("not a row: expected `id") + (test ? "" : ";label") +
                                           "`, got \"" + line.text + "\"");
  std::vector<std::string> label;
  if (!text.empty()) label.push_back(text);
  listing.add(line.number, std::move(label), {.path = id, .pictures = options.pictures});
}

std::shared_ptr<Dataset> make_jester(const JesterOptions& options, Context& context) {
  check_folder(options.root, "the folder of Jester");
  const std::filesystem::path folder = options.annotations.value_or(inside(options.root, {"annotations"}));
  const auto file = [&](const std::string& what) {
    return first_file(folder, {"jester-v1-" + what + ".csv", what + ".csv"});
  };
  const std::filesystem::path list = options.list.value_or(file(options.subset));
  ListRules rules{
      "jester", {inside(options.root, {"20bn-jester-v1"}), options.fps}, {}, options.missing, "`id;label`"};
  rules.labels.classes = read_class_names(options.labels.value_or(file("labels")));
  Complaints complaints(list);
  Listing listing;
  for_each_line(list, {"a Jester list", {}},
                [&](const Line& line) { read_row(line, options, listing, complaints); });
  return make_clip_list(std::move(listing), rules, complaints, context);
}

}  // namespace
}  // namespace kinema::jester

KINEMA_PLUGIN("jester", "1.0", "Jester, hand gestures, by its official lists") {
  using namespace kinema;
  using namespace kinema::jester;
  using O = JesterOptions;
  registrar.add<Dataset>(
      "jester", "Jester, 27 hand gestures in folders of pictures, by its official lists",
      Options<O>()
          .add("root", &O::root, "folder that holds the folders 1, 2, ..., or 20bn-jester-v1 with them")
          .required()
          .add("annotations", &O::annotations,
               "folder with jester-v1-{labels,train,validation,test}.csv; default: annotations in root, or "
               "root")
          .add("labels", &O::labels, "the file of class names, where it lies elsewhere")
          .add("list", &O::list, "the file of `id;label` lines, where it lies elsewhere")
          .add("subset", &O::subset, "which list", one_of("train", "validation", "test"))
          .add("pictures", &O::pictures, "names of the pictures in a folder")
          .add("fps", &O::fps, "of pictures", above(0))
          .add_enum("missing", &O::missing,
                    "clips without a folder: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_jester);
}
