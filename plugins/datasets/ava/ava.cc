#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <memory>
#include <set>

#include "annotations/clip_list.h"
#include "annotations/paths.h"
#include "annotations/pictures.h"
#include "boxes.h"
#include "key_frames.h"
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
  std::optional<double> fps;
  Missing missing = Missing::keep;
};

double rate_of(const AvaOptions& options) { return options.fps.value_or(30); }

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
  if (options.root && options.fps)
    complain(
        "a key without effect: expected fps beside frames_root, got it beside root, where videos say it");
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  check_folder(options.root ? *options.root : *options.frames_root, "the folder of the videos");
}

struct Tables {
  Boxes truth;  // of `boxes`
  Boxes seen;   // those that the model gets
};

Tables read_tables(const AvaOptions& options, const LabelMap& actions, Notices& notices) {
  BoxRules rules{actions, {}, {}, {}};
  if (options.exclusions) rules.excluded = read_key_frames(*options.exclusions);
  if (options.timestamps) rules.seconds = read_seconds(*options.timestamps);
  Tables tables;
  if (options.videos)
    for (const Line& line : read_lines(*options.videos, {"a list of videos", {}}))
      tables.truth.name(std::filesystem::path(trimmed(line.text)).stem().string());
  for (const auto& file : options.boxes) read_boxes(file, rules, tables.truth, notices);
  tables.seen.videos = tables.truth.videos;
  if (options.use != Use::predicted) tables.seen = tables.truth;
  rules.least_score = options.score_threshold;
  if (options.use != Use::truth)
    for (const auto& file : options.predicted_boxes) read_boxes(file, rules, tables.seen, notices);
  return tables;
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

// Seconds in which somebody is seen, or is.
std::set<std::int64_t> seconds_of(const std::string& video, const Tables& tables) {
  std::set<std::int64_t> seconds;
  for (const Boxes* boxes : {&tables.truth, &tables.seen})
    if (const auto found = boxes->of_video.find(video); found != boxes->of_video.end())
      for (const auto& [second, list] : found->second)
        if (!list.empty()) seconds.insert(second);
  return seconds;
}

struct Found {
  Clips clips;
  std::map<std::string, Moment> moments;  // by the clip's key
  std::vector<std::string> early;         // keys
};

void add_key_frames(const std::string& video, const AvaOptions& options, const Clip& source, Tables& tables,
                    Found& found) {
  for (const std::int64_t second : seconds_of(video, tables)) {
    Clip clip = source;
    clip.key = key_of(video, second);
    const double since = static_cast<double>(second - options.first_second);
    if (since < 0) {
      found.early.push_back(clip.key);
      continue;
    }
    clip.span = options.root ? Span{Span::Unit::centre_seconds, since, 0}
                             : Span{Span::Unit::centre, std::round(since * rate_of(options)), 0};
    clip.boxes = std::move(tables.seen.of_video[video][second]);
    Moment moment{{video, second}, {}};
    if (options.use != Use::truth && !options.boxes.empty())
      moment.truth = std::move(tables.truth.of_video[video][second]);
    found.moments.emplace(clip.key, std::move(moment));
    found.clips.push_back(clip);
  }
}

// Those of the clips that are left.
std::vector<Moment> moments_of(const Clips& clips, std::map<std::string, Moment>& moments) {
  std::vector<Moment> all;
  for (std::size_t i = 0; i < clips.size(); ++i) all.push_back(std::move(moments.at(clips.at(i).key)));
  return all;
}

std::vector<std::int64_t> ids_of(const LabelMap& actions) {
  std::vector<std::int64_t> ids;
  for (const auto& [id, label] : actions.labels) ids.push_back(id);
  return ids;
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
  Tables tables = read_tables(options, actions, notices);
  const std::filesystem::path root = options.root ? *options.root : *options.frames_root;
  std::optional<VideoFiles> files;
  if (options.root) files.emplace(root);
  Found found;
  std::vector<std::string> without;
  const std::vector<std::string> videos = tables.seen.videos;
  for (const std::string& video : videos) {
    if (seconds_of(video, tables).empty())
      without.push_back(video);
    else
      add_key_frames(video, options, source_of(video, options, files), tables, found);
  }
  if (!found.early.empty())
    throw Error(
        ErrorKind::data, "ava",
        std::to_string(found.early.size()) +
            " key frames lie before the first frame: expected seconds from " +
            std::to_string(options.first_second) + " on, got " + first_of(found.early),
        "first_second is the second in which videos and pictures begin: 900 for AVA, 0 for whole files");
  if (found.clips.empty())
    throw Error(ErrorKind::data, "ava",
                "no key frame with a box is left: expected some after exclusions, timestamps and "
                "score_threshold, got none");
  for (const std::string& text : notices.texts()) context.warn("ava: " + text);
  if (!without.empty())
    context.warn("ava: " + std::to_string(without.size()) + " of " + std::to_string(videos.size()) +
                 " videos have no box and are left out: " + first_of(without));
  treat_missing(options.missing, root, "ava", context, found.clips);
  std::vector<Moment> moments = moments_of(found.clips, found.moments);
  const std::vector<std::int64_t> ids = ids_of(actions);
  return std::make_shared<KeyFrames>(
      ClipList({root, rate_of(options)}, std::move(actions.names), std::move(found.clips)),
      std::move(moments), ids);
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
          .add("boxes", &O::boxes,
               "tables of true boxes: ava_train_v2.2.csv; beside predicted ones what these are measured "
               "against")
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
               "frames a second of the pictures, 30 if not given: key frame = (second - first_second) * fps",
               above(0))
          .add_enum("missing", &O::missing,
                    "key frames without a video: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_ava);
}
