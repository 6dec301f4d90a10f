#include <memory>

#include "annotations/clip_list.h"
#include "annotations/database.h"
#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::activitynet {
namespace {

using namespace annotations;

struct ActivityNetOptions {
  std::filesystem::path root, list;
  std::optional<std::string> subset;
  SegmentUnit unit = SegmentUnit::detect;
  bool whole_videos = false;
  std::optional<std::filesystem::path> classes_file;
  std::string pictures;
  double fps = 25;
  Missing missing = Missing::skip;
};

// "v_abc:12.5-30s" names a segment in results.
std::string key_of(const Segment& segment) {
  if (segment.span.unit == Span::Unit::whole) return segment.video;
  const auto number = [](double value) {
    std::string text = std::to_string(value);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
  };
  return segment.video + ":" + number(segment.span.begin) + "-" + number(segment.span.end) +
         (segment.span.unit == Span::Unit::seconds ? "s" : "");
}

// Finds the video of each segment: as the file says, as "<id>" or "v_<id>" in the root and below it, or the
// folder of its pictures, root/label/id or root/id.
class Finder {
 public:
  explicit Finder(const ActivityNetOptions& options) : options_(options) {
    if (options.pictures.empty()) files_.emplace(options.root);
  }
  std::string path_of(const Segment& segment) const {
    if (!segment.path.empty()) return segment.path;
    if (!files_) {
      const std::string in_class = segment.label + "/" + segment.video;
      return is_folder(options_.root / in_class) ? in_class : segment.video;
    }
    for (const std::string& stem : {segment.video, "v_" + segment.video})
      if (auto found = files_->find(stem)) return *found;
    return segment.video + ".mp4";
  }

 private:
  const ActivityNetOptions& options_;
  std::optional<VideoFiles> files_;
};

std::shared_ptr<Dataset> make_activitynet(const ActivityNetOptions& options, Context& context) {
  check_folder(options.root, "the folder of the videos");
  Database database = read_database(options.list, {options.subset, options.unit, options.whole_videos});
  Complaints complaints(options.list);
  const Finder finder(options);
  Listing listing;
  for (const Segment& segment : database.segments) {
    const auto line = static_cast<std::size_t>(segment.line);
    std::string path = finder.path_of(segment);
    if (const std::string why = refused(path); !why.empty()) {
      complaints.add(line, why);
      continue;
    }
    Clip clip{
        .path = std::move(path), .pictures = options.pictures, .span = segment.span, .key = key_of(segment)};
    listing.add(line, {segment.label}, std::move(clip));
  }
  if (database.empty > 0)
    context.warn("activitynet: " + std::to_string(database.empty) + " empty segments are left out");
  if (database.unlabelled > 0)
    context.warn("activitynet: " + std::to_string(database.unlabelled) +
                 " videos without annotation are left out");
  ListRules rules;
  rules.name = "activitynet";
  rules.layout.root = options.root;
  rules.layout.fps = options.fps;
  rules.missing = options.missing;
  rules.entry = "segments with a label";
  rules.labels.classes = options.classes_file ? read_class_names(*options.classes_file) : database.classes;
  return make_clip_list(std::move(listing), rules, complaints, context);
}

}  // namespace
}  // namespace kinema::activitynet

KINEMA_PLUGIN("activitynet", "1.0",
              "labelled parts of videos from the json of ActivityNet, MMAction2 or 3D-ResNets") {
  using namespace kinema;
  using namespace kinema::activitynet;
  using annotations::SegmentUnit;
  using O = ActivityNetOptions;
  registrar.add<Dataset>(
      "activitynet", "labelled parts of videos from the json of ActivityNet, MMAction2 or 3D-ResNets",
      Options<O>()
          .add("root", &O::root,
               "folder of the videos, named <id> or v_<id>, in it or up to three levels down")
          .required()
          .add("list", &O::list, "the json file")
          .required()
          .add("subset", &O::subset, "only videos of this subset: \"training\", \"validation\"; default: all")
          .add_enum(
              "unit", &O::unit,
              "of segments; detect: seconds in lists of segments, frames from 1 in the tables of 3D-ResNets",
              {{"detect", SegmentUnit::detect},
               {"seconds", SegmentUnit::seconds},
               {"frames", SegmentUnit::frames}})
          .add("whole_videos", &O::whole_videos, "segments only give labels: the item is the whole video")
          .add("classes_file", &O::classes_file,
               "class names in label order; default: those of the file, else sorted by byte")
          .add("pictures", &O::pictures,
               "names of the pictures, \"image_%05d.jpg\", where videos are folders of them")
          .add("fps", &O::fps, "of pictures", above(0))
          .add_enum("missing", &O::missing,
                    "items without a file: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_activitynet);
}
