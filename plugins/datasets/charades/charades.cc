#include <algorithm>
#include <memory>
#include <set>

#include "annotations/clip_list.h"
#include "annotations/paths.h"
#include "frame_list.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::charades {
namespace {

using namespace annotations;

struct CharadesOptions {
  std::filesystem::path root, list;
  std::int64_t num_classes = 157;
  std::optional<std::filesystem::path> classes_file;
  std::int64_t window = 0;
  std::optional<std::int64_t> window_step;
  double fps = 24;
  Missing missing = Missing::skip;
};

// "c000 Holding some clothes" as in Charades_v1_classes.txt, else the codes.
std::vector<std::string> class_names(const CharadesOptions& options) {
  if (options.classes_file) return read_class_names(*options.classes_file);
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < options.num_classes; ++i) {
    const std::string digits = std::to_string(i);
    names.push_back(std::string("c").append(3 - std::min<std::size_t>(3, digits.size()), '0').append(digits));
  }
  return names;
}

// Where the frames of a video are.
Clip source_of(const Video& video, const std::optional<VideoFiles>& files) {
  if (files) return {.path = files->find(video.id).value_or(video.id + ".mp4")};
  return {.path = video.folder, .pictures = video.pictures, .first_number = video.first_number};
}

// Frames [begin, end) of a video as an item, with the classes of any of them.
Clip part_of(const Video& video, std::int64_t begin, std::int64_t end, double fps, Clip clip) {
  // A video file has its own rate: its parts are told in seconds.
  const double unit = clip.pictures.empty() ? 1 / fps : 1;
  const auto part = [&](std::int64_t from, std::int64_t to) {
    return Span{clip.pictures.empty() ? Span::Unit::seconds : Span::Unit::frames,
                static_cast<double>(from) * unit, static_cast<double>(to) * unit};
  };
  std::set<std::int64_t> labels;
  for (const Run& run : video.runs) {
    if (run.begin >= end || run.end <= begin) continue;
    labels.insert(run.labels.begin(), run.labels.end());
    for (const std::int64_t label : run.labels) clip.timed.push_back({label, part(run.begin, run.end)});
  }
  clip.labels.assign(labels.begin(), labels.end());
  clip.span = part(begin, end);
  clip.key = video.id;
  return clip;
}

// Windows start `step` frames apart; the last one ends with the video.
void add_windows(const Video& video, std::int64_t step, const CharadesOptions& options, const Clip& source,
                 Clips& clips) {
  for (std::int64_t begin = 0;; begin += step) {
    const std::int64_t start = std::max<std::int64_t>(0, std::min(begin, video.count - options.window));
    Clip clip = part_of(video, start, std::min(video.count, start + options.window), options.fps, source);
    clip.key += ":" + std::to_string(start);
    clips.push_back(clip);
    if (begin + options.window >= video.count) return;
  }
}

std::shared_ptr<Dataset> make_charades(const CharadesOptions& options, Context& context) {
  check_folder(options.root, "the folder of the videos or pictures");
  std::vector<std::string> classes = class_names(options);
  const bool official = is_official(options.list);
  const std::vector<Video> videos = official ? read_official(options.list, std::ssize(classes), options.fps)
                                             : read_frame_list(options.list, std::ssize(classes));
  std::optional<VideoFiles> files;
  if (official) files.emplace(options.root);
  Clips clips;
  for (const Video& video : videos) {
    Clip source = source_of(video, files);
    if (options.window > 0) {
      add_windows(video, options.window_step.value_or(options.window), options, source, clips);
    } else {
      Clip clip = part_of(video, 0, std::max(video.count, std::int64_t{1}), options.fps, std::move(source));
      if (official) clip.span = {};
      clips.push_back(clip);
    }
  }
  if (clips.empty())
    throw Error(ErrorKind::data, options.list.string(), "an empty list: expected videos, got none");
  treat_missing(options.missing, options.root, "charades", context, clips);
  return std::make_shared<ClipList>(ClipList::Layout{options.root, options.fps, true}, std::move(classes),
                                    std::move(clips));
}

}  // namespace
}  // namespace kinema::charades

KINEMA_PLUGIN("charades", "1.0", "Charades by its official lists, or by the frame lists of PySlowFast") {
  using namespace kinema;
  using namespace kinema::charades;
  using O = CharadesOptions;
  registrar.add<Dataset>(
      "charades", "Charades, several of 157 classes an item, by the official csv or PySlowFast's frame lists",
      Options<O>()
          .add("root", &O::root, "folder of the videos, or that the paths of a frame list start from")
          .required()
          .add("list", &O::list,
               "Charades_v1_train.csv, or PySlowFast's train.csv: `original_vido_id video_id frame_id path "
               "labels`")
          .required()
          .add("num_classes", &O::num_classes, "number of classes, named c000, c001, ...", between(1, 100000))
          .add("classes_file", &O::classes_file,
               "class names in label order instead (Charades_v1_classes.txt)")
          .add("window", &O::window,
               "cuts videos into items of so many frames, measured by the classes of their own frames; 0: a "
               "video is an item with all its classes. Training clips learn those of their frames",
               at_least(0))
          .add("window_step", &O::window_step, "frames between the starts of windows; default: window",
               at_least(1))
          .add("fps", &O::fps, "frames a second of pictures, and of windows", above(0))
          .add_enum("missing", &O::missing,
                    "videos without a folder: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_charades);
}
