#include <memory>

#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"
#include "lists.h"

namespace kinema::kinetics {
namespace {

using namespace annotations;

struct KineticsOptions {
  std::filesystem::path root, list;
  Format format = Format::detect;
  std::optional<std::string> split;
  std::optional<std::filesystem::path> label_map;
  ClassOrder order = ClassOrder::alphabetical;
  std::optional<std::int64_t> first_label;
  std::string pictures = "img_%05d.jpg";
  std::int64_t first_number = 1;
  double fps = 30;
  Missing missing = Missing::skip;
  bool allow_absolute = false;
};

std::shared_ptr<Dataset> make_kinetics(const KineticsOptions& options, Context& context) {
  check_folder(options.root, "the folder of the Kinetics videos");
  ListRules rules{"kinetics", {options.root, options.fps}, {}, options.missing};
  rules.labels = {given_classes({}, options.label_map), options.order, options.first_label};
  Complaints complaints(options.list);
  Listing listing = read_list(options.list,
                              {options.root, options.format, options.split, options.pictures,
                               options.first_number, options.allow_absolute},
                              complaints);
  return make_clip_list(std::move(listing), rules, complaints, context);
}

}  // namespace
}  // namespace kinema::kinetics

KINEMA_PLUGIN("kinetics", "1.0",
              "Kinetics-400, 600 and 700 by their official lists, or by lists of other programs") {
  using namespace kinema;
  using namespace kinema::kinetics;
  using O = KineticsOptions;
  registrar.add<Dataset>(
      "kinetics", "Kinetics-400, 600 and 700 by the official csv, or by lists of PySlowFast and MMAction2",
      Options<O>()
          .add("root", &O::root,
               "folder of the videos, flat or in folders of classes; paths of a list start here")
          .required()
          .add("list", &O::list, "the file that lists the clips")
          .required()
          .add_enum("format", &O::format,
                    "official: csv with youtube_id; paths: `path label`; raw_frames: `folder frames label`",
                    {{"detect", Format::detect},
                     {"official", Format::official},
                     {"paths", Format::paths},
                     {"raw_frames", Format::raw_frames}})
          .add("split", &O::split, "of an official csv only the rows with this in the column split")
          .add("label_map", &O::label_map,
               "file of class names, one a line in label order, or .json; a list without labels needs it")
          .add_enum("order", &O::order,
                    "of the classes where no file gives them: alphabetical, or as the list first names them",
                    {{"alphabetical", ClassOrder::alphabetical}, {"appearance", ClassOrder::appearance}})
          .add("first_label", &O::first_label,
               "number of the first class in a list of numbers; seen from the list", one_of(0, 1))
          .add("pictures", &O::pictures, "names of the pictures in a folder (raw_frames)")
          .add("first_number", &O::first_number, "of the first picture", at_least(0))
          .add("fps", &O::fps, "of pictures", above(0))
          .add_enum("missing", &O::missing,
                    "clips without a file: left out and counted, or kept for the run to meet",
                    annotations::missing_names())
          .add("allow_absolute", &O::allow_absolute, "lets a list name absolute paths and \"..\""),
      make_kinetics);
}
