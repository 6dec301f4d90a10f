#include <algorithm>
#include <memory>

#include "annotations/clip_list.h"
#include "annotations/json.h"
#include "annotations/paths.h"
#include "annotations/pictures.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::ssv2 {
namespace {

using namespace annotations;

struct Ssv2Options {
  std::filesystem::path root;
  std::optional<std::filesystem::path> annotations, labels, list;
  std::string subset = "train";
  std::string pictures;
  double fps = 12;
  Missing missing = Missing::keep;
};

// "Pushing [something] so that it moves" -> "Pushing something so that it moves"
std::string without_brackets(std::string text) {
  std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
  return text;
}

std::filesystem::path file_of(const std::filesystem::path& folder, const std::string& what) {
  return first_file(folder, {"something-something-v2-" + what + ".json", what + ".json"});
}

// Labels may be wanting altogether: the test list has none.
void read_entry(const Value& entry, const Ssv2Options& options, Listing& listing, Complaints& complaints) {
  const auto line = static_cast<std::size_t>(std::max(0, entry.origin.line));
  const auto id = text_of(entry.find("id"));
  if (!id || id->empty() || id->find('/') != std::string::npos || *id == "..")
    return complaints.add(line, "not a video: expected a table with an id, got " + entry.text());
  const auto phrase = text_of(entry.find("template"));
  if (!phrase && options.subset != "test")
    return complaints.add(line, "no template: expected one for video " + *id + ", got none");
  std::vector<std::string> label;
  if (phrase) label.push_back(without_brackets(*phrase));
  Clip clip{.path = options.pictures.empty() ? *id + ".webm" : *id,
            .pictures = with_id(options.pictures, *id),
            .key = *id};
  listing.add(line, std::move(label), std::move(clip));
}

std::shared_ptr<Dataset> make_ssv2(const Ssv2Options& options, Context& context) {
  check_folder(options.root, "the folder of Something-Something v2");
  const std::filesystem::path folder =
      options.annotations.value_or(inside(options.root, {"annotations", "labels"}));
  const std::filesystem::path list = options.list.value_or(file_of(folder, options.subset));
  ListRules rules{"ssv2",
                  {inside(options.root, {"20bn-something-something-v2", "videos"}), options.fps},
                  {},
                  options.missing,
                  "videos"};
  rules.labels.classes = read_class_names(options.labels.value_or(file_of(folder, "labels")));
  const Value json = read_json(list, {"a Something-Something v2 list", {}});
  if (!json.is(Value::Type::array))
    throw Error(ErrorKind::data, list.string(),
                "not a list of videos: expected [{\"id\", \"template\"}, ...], got " +
                    std::string(Value::type_name(json.type())));
  Complaints complaints(list);
  Listing listing;
  for (const Value& entry : json.as_array()) read_entry(entry, options, listing, complaints);
  return make_clip_list(std::move(listing), rules, complaints, context);
}

}  // namespace
}  // namespace kinema::ssv2

KINEMA_PLUGIN("ssv2", "1.0", "Something-Something v2 by its official lists") {
  using namespace kinema;
  using namespace kinema::ssv2;
  using O = Ssv2Options;
  registrar.add<Dataset>(
      "ssv2", "Something-Something v2, 174 templates, by its official json lists",
      Options<O>()
          .add("root", &O::root,
               "folder that holds <id>.webm, or 20bn-something-something-v2 or videos with them")
          .required()
          .add("annotations", &O::annotations,
               "folder with something-something-v2-{labels,train,validation,test}.json or the short names; "
               "default: annotations or labels in root, or root")
          .add("labels", &O::labels,
               "the file of templates and ids, where it lies elsewhere; also names one a line")
          .add("list", &O::list, "the file of videos, where it lies elsewhere")
          .add("subset", &O::subset, "which list", one_of("train", "validation", "test"))
          .add("pictures", &O::pictures,
               "names of the pictures, \"{id}_%06d.jpg\", where each video is a folder of them")
          .add("fps", &O::fps, "of pictures", above(0))
          .add_enum("missing", &O::missing,
                    "clips without a file: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_ssv2);
}
