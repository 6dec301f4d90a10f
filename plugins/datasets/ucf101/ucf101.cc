#include <memory>
#include <optional>

#include "annotations/clip_list.h"
#include "annotations/database.h"
#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"
#include "lists.h"

namespace kinema::ucf101 {
namespace {

using namespace annotations;

struct Ucf101Options {
  std::filesystem::path root;
  std::optional<std::filesystem::path> annotations;
  std::optional<std::filesystem::path> json;
  std::int64_t split = 1;
  std::string subset = "train";
};

// 3D-ResNets: {"labels": [...], "database": {"v_Archery_g01_c01": {"subset", "annotations": {"label"}}}}.
std::shared_ptr<Dataset> from_json(const Ucf101Options& options, Context& context) {
  const bool train = options.subset == "train";
  const Database database =
      read_database(*options.json, {.subset = train ? "training" : "validation", .whole_videos = true});
  Complaints complaints(*options.json);
  Listing listing;
  for (const Segment& segment : database.segments) {
    const std::string path = segment.label + "/" + segment.video + ".avi";
    const auto line = static_cast<std::size_t>(segment.line);
    if (const std::string why = refused(path); !why.empty())
      complaints.add(line, why);
    else
      listing.add(line, {segment.label}, {.path = path});
  }
  ListRules rules{"ucf101", {inside(options.root, {"UCF-101"})}, {}, Missing::keep, "videos"};
  rules.labels.classes = database.classes;
  return make_clip_list(std::move(listing), rules, complaints, context);
}

std::shared_ptr<Dataset> make_ucf101(const Ucf101Options& options, Context& context) {
  if (!is_folder(options.root))
    throw Error(ErrorKind::data, options.root.string(),
                "no such folder: expected the unpacked UCF101 videos, got none",
                "root is the folder above ApplyEyeMakeup, or the one that holds UCF-101");
  if (options.json) return from_json(options, context);
  const std::filesystem::path lists =
      options.annotations.value_or(inside(options.root, {"ucfTrainTestlist"}));
  const bool train = options.subset == "train";
  std::vector<std::string> classes = read_class_index(lists / "classInd.txt");
  const std::string name = (train ? "trainlist0" : "testlist0") + std::to_string(options.split) + ".txt";
  Clips clips = read_split(lists / name, classes, train);
  return std::make_shared<ClipList>(ClipList::Layout{inside(options.root, {"UCF-101"})}, std::move(classes),
                                    std::move(clips));
}

}  // namespace
}  // namespace kinema::ucf101

KINEMA_PLUGIN("ucf101", "1.0", "UCF101 by its official lists") {
  using namespace kinema;
  using namespace kinema::ucf101;
  using O = Ucf101Options;
  registrar.add<Dataset>(
      "ucf101", "UCF101, 101 actions, by its official splits (labels in the order of classInd.txt)",
      Options<O>()
          .add("root", &O::root, "folder that holds the class folders, or UCF-101 with them")
          .required()
          .add("annotations", &O::annotations,
               "folder with classInd.txt, trainlist0N.txt, testlist0N.txt; default: ucfTrainTestlist in "
               "root, or root")
          .add("json", &O::json, "file of 3D-ResNets, ucf101_01.json, instead of the official lists")
          .add("split", &O::split, "official split", one_of(1, 2, 3))
          .add("subset", &O::subset, "train or test list of the split", one_of("train", "test")),
      make_ucf101);
}
