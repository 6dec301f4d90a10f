#include <algorithm>
#include <memory>

#include "annotations/holdout.h"
#include "annotations/paths.h"
#include "annotations/pictures.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::frame_folder {
namespace {

using namespace annotations;

struct FrameFolderOptions : FlowOptions {
  std::filesystem::path root;
  std::string pictures;
  double fps = 25;
  std::vector<std::string> classes;
  std::optional<std::filesystem::path> classes_file;
  std::vector<std::string> include, exclude;
  Holdout holdout;
  std::optional<std::string> subset;
};

constexpr int kDepth = 6;  // of folders below a class: links may lead in circles

std::vector<std::string> folders_in(const std::filesystem::path& folder) {
  std::vector<std::string> names;
  for (const auto& entry : sorted_entries(folder)) {
    std::error_code failure;  // of a link that leads nowhere
    if (entry.is_directory(failure)) names.push_back(entry.path().filename().string());
  }
  return names;
}

// The folder that holds the class folders.
std::filesystem::path top(const FrameFolderOptions& options) {
  return options.rgb() ? options.root : options.flow_root.value_or(options.root);
}

// What the pictures of a video are called.
std::string picture_names(const FrameFolderOptions& options) {
  if (!options.rgb()) return options.flow_x + " and " + options.flow_y;
  return options.pictures.empty() ? "img_00001.jpg ..." : options.pictures;
}

class Scan {
 public:
  explicit Scan(const FrameFolderOptions& options) : options_(options) {}

  // A folder with pictures is a video; another one may hold videos.
  void collect(const std::string& relative, std::int64_t label, int depth) {
    const std::filesystem::path folder = top(options_) / relative;
    if (std::optional<Clip> clip = clip_in(folder, relative)) {
      clip->path = relative;
      clip->label = label;
      clips.push_back(*clip);
    } else if (depth > 0) {
      for (const std::string& name : folders_in(folder)) collect(relative + "/" + name, label, depth - 1);
    }
  }

  Clips clips;
  std::vector<std::string> with_gaps;

 private:
  static Span frames(std::int64_t count) { return {Span::Unit::frames, 0, static_cast<double>(count)}; }

  std::optional<Clip> clip_in(const std::filesystem::path& folder, const std::string& relative) {
    if (!options_.rgb()) {
      const auto row = look_for_flow(folder, options_);
      if (!row) return std::nullopt;
      return Clip{.span = frames(row->count), .flow = relative, .flow_first_number = row->first_number};
    }
    const auto row = look_for_pictures(folder, options_.pictures, {options_.flow_x, options_.flow_y});
    if (!row) return std::nullopt;
    if (row->gone > 0) with_gaps.push_back(relative);
    return Clip{.pictures = row->pictures, .first_number = row->first_number, .span = frames(row->count)};
  }

  const FrameFolderOptions& options_;
};

void check_options(const FrameFolderOptions& options) {
  std::vector<Problem> problems;
  if (!options.classes.empty() && options.classes_file)
    problems.push_back(
        {"frame_folder", "exclusive keys: expected classes or classes_file, got both", {}, {}});
  check_flow(options, "frame_folder", problems);
  check_subset(options.holdout, options.subset, "frame_folder", problems);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  check_folder(top(options));
}

std::vector<std::string> classes_of(const FrameFolderOptions& options) {
  const std::filesystem::path root = top(options);
  const std::vector<std::string> folders = folders_in(root);
  std::vector<std::string> classes = given_classes(options.classes, options.classes_file);
  if (classes.empty()) classes = folders;
  std::vector<Problem> problems;
  if (classes.empty())
    problems.push_back({root.string(),
                        "no class folders: expected a folder for each class, got none",
                        "root is the folder above the class folders",
                        {}});
  for (const std::string& name : classes)
    if (!std::binary_search(folders.begin(), folders.end(), name))
      problems.push_back(
          {root.string(), "no folder for a class: expected one named \"" + name + "\", got none", {}, {}});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return classes;
}

std::shared_ptr<Dataset> make_frame_folder(const FrameFolderOptions& options, Context& context) {
  check_options(options);
  std::vector<std::string> classes = classes_of(options);
  Scan scan(options);
  for (std::size_t label = 0; label < classes.size(); ++label)
    scan.collect(classes[label], static_cast<std::int64_t>(label), kDepth);
  if (scan.clips.empty())
    throw Error(ErrorKind::data, top(options).string(),
                "no pictures in the class folders: expected root/class/video/" + picture_names(options) +
                    ", got none",
                options.rgb() && options.pictures.empty() ? "modalities = [\"flow\"] reads optical flow"
                                                          : "a name has one number: \"img_%05d.jpg\"");
  if (!scan.with_gaps.empty()) {
    std::string names;
    for (std::size_t i = 0; i < std::min<std::size_t>(5, scan.with_gaps.size()); ++i)
      names += (i > 0 ? ", " : "") + scan.with_gaps[i];
    context.warn("frame_folder: " + std::to_string(scan.with_gaps.size()) +
                 " folders have gaps in their numbers, what follows a gap is not used: " + names +
                 (scan.with_gaps.size() > 5 ? ", ..." : ""));
  }
  keep_side({options.include, options.exclude, options.holdout, options.subset}, options.root.string(),
            scan.clips);
  add_flow(options, options.root, "frame_folder", context, scan.clips);
  return std::make_shared<ClipList>(ClipList::Layout{options.root, options.fps, false, options},
                                    std::move(classes), std::move(scan.clips));
}

}  // namespace
}  // namespace kinema::frame_folder

KINEMA_PLUGIN("frame_folder", "1.0", "videos as folders of numbered pictures, in a folder for each class") {
  using namespace kinema;
  using namespace kinema::frame_folder;
  using O = FrameFolderOptions;
  Options<O> options;
  options.add("root", &O::root, "folder that holds the class folders")
      .required()
      .add("pictures", &O::pictures,
           "names of the pictures, \"img_%05d.jpg\"; default: seen in each folder, as is the first number")
      .add("fps", &O::fps, "pictures a second", above(0))
      .add("classes", &O::classes, "class names in label order; default: the folders, sorted by byte")
      .add("classes_file", &O::classes_file, "the same, one a line of a file")
      .add("include", &O::include, "patterns over the relative path, * crosses folders; empty: all")
      .add("exclude", &O::exclude, "patterns of videos to leave out")
      .add_table("holdout", &O::holdout, "what is kept back for testing, the same in both tables",
                 annotations::holdout_options())
      .add("subset", &O::subset, "which side of the holdout this is", one_of("train", "test"));
  annotations::add_flow_options(options);
  registrar.add<Dataset>("frame_folder", "videos as folders of numbered pictures, in a folder for each class",
                         options, make_frame_folder);
}
