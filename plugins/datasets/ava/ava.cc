#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "annotations/clip_list.h"
#include "annotations/paths.h"
#include "annotations/pictures.h"
#include "boxes.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::ava {
namespace {

using namespace annotations;

enum class Use { truth, predicted, both };

struct AvaOptions {
  std::optional<std::filesystem::path> root, frames_root;
  std::filesystem::path label_map;
  std::vector<std::filesystem::path> boxes, predicted_boxes;
  Use use = Use::truth;
  double score_threshold = 0.8;
  std::optional<std::filesystem::path> exclusions, timestamps, videos;
  std::string pictures = "{id}_%06d.jpg";
  std::int64_t first_second = 900;
  double fps = 30;
  Missing missing = Missing::keep;
};

void check_options(const AvaOptions& options) {
  std::vector<Problem> problems;
  const auto complain = [&](std::string what) { problems.push_back({"ava", std::move(what), {}, {}}); };
  if (options.root.has_value() == options.frames_root.has_value())
    complain(std::string("one of two keys: expected root (videos) or frames_root (pictures), got ") +
             (options.root ? "both" : "neither"));
  if (options.use != Use::predicted && options.boxes.empty())
    complain("missing key: expected boxes for use = \"truth\" or \"both\", got none");
  if (options.use != Use::truth && options.predicted_boxes.empty())
    complain("missing key: expected predicted_boxes for use = \"predicted\" or \"both\", got none");
  if (options.use == Use::truth && !options.predicted_boxes.empty())
    complain(
        "a key without effect: expected use = \"predicted\" or \"both\" beside predicted_boxes, got "
        "\"truth\"");
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  check_folder(options.root ? *options.root : *options.frames_root, "the folder of the videos");
}

Boxes read_all_boxes(const AvaOptions& options, const LabelMap& actions, Notices& notices) {
  BoxRules rules{actions, {}, {}, {}};
  if (options.exclusions) rules.excluded = read_key_frames(*options.exclusions);
  if (options.timestamps) rules.seconds = read_seconds(*options.timestamps);
  Boxes boxes;
  if (options.videos)
    for (const Line& line : read_lines(*options.videos, {"a list of videos", {}}))
      boxes.name(std::filesystem::path(trimmed(line.text)).stem().string());
  if (options.use != Use::predicted)
    for (const auto& file : options.boxes) read_boxes(file, rules, boxes, notices);
  rules.least_score = options.score_threshold;
  if (options.use != Use::truth)
    for (const auto& file : options.predicted_boxes) read_boxes(file, rules, boxes, notices);
  return boxes;
}

// Where the frames of a video are.
Clip source_of(const std::string& video, const AvaOptions& options, const std::optional<VideoFiles>& files) {
  Clip clip;
  if (files) {
    clip.path = files->find(video).value_or(video + ".mp4");
    return clip;
  }
  clip.path = video;
  clip.pictures = with_id(options.pictures, video);
  if (is_folder(*options.frames_root / video))
    if (const auto row = look_for_pictures(*options.frames_root / video, clip.pictures))
      clip.first_number = row->first_number;
  return clip;
}

std::string key_of(const std::string& video, std::int64_t second) {
  char digits[32];
  std::snprintf(digits, sizeof digits, ",%04lld", static_cast<long long>(second));
  return video + digits;
}

void add_key_frames(const std::string& video, const AvaOptions& options, const Clip& source, Boxes& boxes,
                    std::vector<Clip>& clips, std::vector<std::string>& early) {
  for (auto& [second, list] : boxes.of_video[video]) {
    if (list.empty()) continue;
    const double centre = std::round(static_cast<double>(second - options.first_second) * options.fps);
    if (centre < 0) {
      early.push_back(key_of(video, second));
      continue;
    }
    Clip clip = source;
    clip.boxes = std::move(list);
    clip.span = {Span::Unit::centre, centre, 0};
    clip.key = key_of(video, second);
    clips.push_back(std::move(clip));
  }
}

std::string first_of(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(5, names.size()); ++i)
    text += (i > 0 ? ", " : "") + names[i];
  return names.size() > 5 ? text + ", ..." : text;
}

std::shared_ptr<Dataset> make_ava(const AvaOptions& options, Context& context) {
  check_options(options);
  LabelMap actions = read_label_map(options.label_map);
  Notices notices;
  Boxes boxes = read_all_boxes(options, actions, notices);
  const std::filesystem::path root = options.root ? *options.root : *options.frames_root;
  std::optional<VideoFiles> files;
  if (options.root) files.emplace(root);
  std::vector<Clip> clips;
  std::vector<std::string> without, early;
  for (const std::string& video : boxes.videos) {
    const auto& seconds = boxes.of_video[video];
    if (std::all_of(seconds.begin(), seconds.end(), [](const auto& each) { return each.second.empty(); }))
      without.push_back(video);
    else
      add_key_frames(video, options, source_of(video, options, files), boxes, clips, early);
  }
  if (!early.empty())
    throw Error(
        ErrorKind::data, "ava",
        std::to_string(early.size()) + " key frames lie before the first frame: expected seconds from " +
            std::to_string(options.first_second) + " on, got " + first_of(early),
        "first_second is the second in which videos and pictures begin: 900 for AVA, 0 for whole files");
  if (clips.empty())
    throw Error(ErrorKind::data, "ava",
                "no key frame with a box is left: expected some after exclusions, timestamps and "
                "score_threshold, got none");
  for (const std::string& text : notices.texts()) context.warn("ava: " + text);
  if (!without.empty())
    context.warn("ava: " + std::to_string(without.size()) + " of " + std::to_string(boxes.videos.size()) +
                 " videos have no box and are left out: " + first_of(without));
  treat_missing(options.missing, root, "ava", context, clips);
  return std::make_shared<ClipList>(ClipList::Layout{root, options.fps}, std::move(actions.names),
                                    std::move(clips));
}

}  // namespace
}  // namespace kinema::ava

KINEMA_PLUGIN("ava", "1.0", "AVA: boxes with actions on key frames, and sets of that form") {
  using namespace kinema;
  using namespace kinema::ava;
  using O = AvaOptions;
  registrar.add<Dataset>(
      "ava", "AVA v2.2 and sets of its form: people in boxes on key frames, with their actions",
      Options<O>()
          .add("root", &O::root, "folder of the videos, named <id>.*, in it or up to three levels down")
          .add("frames_root", &O::frames_root, "folder of folders <id> of numbered pictures, instead of root")
          .add("label_map", &O::label_map, "list of actions, .pbtxt: the 80, or the 60 that are evaluated")
          .required()
          .add("boxes", &O::boxes, "tables of true boxes: ava_train_v2.2.csv")
          .add("predicted_boxes", &O::predicted_boxes,
               "tables of a person detector's boxes, column 8 is the score")
          .add_enum("use", &O::use, "which boxes items have",
                    {{"truth", Use::truth}, {"predicted", Use::predicted}, {"both", Use::both}})
          .add("score_threshold", &O::score_threshold, "predicted boxes below it are left out", between(0, 1))
          .add("exclusions", &O::exclusions, "`video,second` of key frames to leave out")
          .add("timestamps", &O::timestamps, "the only seconds that count, one a line")
          .add("videos", &O::videos, "names of all videos, one a line: those without a box are counted")
          .add("pictures", &O::pictures, "names of the pictures; {id} is the video's name")
          .add("first_second", &O::first_second, "the second in which videos and pictures begin", at_least(0))
          .add("fps", &O::fps,
               "frames a second of videos and pictures: key frame = (second - first_second) * fps", above(0))
          .add_enum("missing", &O::missing,
                    "key frames without a video: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_ava);
}
