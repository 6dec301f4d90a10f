#include <memory>
#include <set>

#include "kinema/dataset.h"
#include "kinema/plugin.h"
#include "scan.h"

namespace kinema::video_folder {
namespace {

struct FolderOptions {
  std::filesystem::path root;
  std::optional<std::filesystem::path> list;
  std::vector<std::string> classes;
  std::optional<std::filesystem::path> classes_file;
  std::vector<std::string> include, exclude;
  Holdout holdout;
  std::optional<std::string> subset;
  std::vector<std::string> extensions = {"avi", "mp4", "mkv", "mov", "webm", "m4v", "mpg", "mpeg", "wmv",
                                         "flv", "ts",  "3gp", "ogv", "gif",  "mts", "vob", "divx"};
  bool allow_absolute = false;
};

class VideoFolder final : public Dataset {
 public:
  VideoFolder(std::filesystem::path root, Found found) : root_(std::move(root)), found_(std::move(found)) {}

  std::size_t size() const override { return found_.clips.size(); }
  std::vector<std::string> classes() const override { return found_.classes; }
  Item item(std::size_t index) const override {
    const Clip& clip = found_.clips.at(index);
    Item item;
    item.sources.resize(1);
    item.sources[0].video = root_ / clip.path;
    item.target.label = clip.label;
    item.key = clip.path;
    return item;
  }

 private:
  std::filesystem::path root_;
  Found found_;
};

void check_options(const FolderOptions& options) {
  std::vector<Problem> problems;
  const auto complain = [&](std::string what, std::string hint = {}) {
    problems.push_back({"video_folder", std::move(what), std::move(hint), {}});
  };
  if (!options.classes.empty() && options.classes_file)
    complain("exclusive keys: expected classes or classes_file, got both");
  std::set<std::string> seen;
  for (const std::string& name : options.classes)
    if (!seen.insert(name).second)
      complain("repeated class: expected each name once in classes, got \"" + name + "\" twice");
  if (options.holdout.asked() && !options.subset)
    complain("missing key: expected subset beside holdout, got none",
             "which side is this? subset = \"train\" or subset = \"test\"");
  if (!options.holdout.asked() && options.subset)
    complain("missing key: expected holdout beside subset, got none",
             "what is kept back for testing? holdout = { fraction = 0.2 }");
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  check_root(options.root);
}

void keep_subset(const FolderOptions& options, Found& found) {
  std::vector<Clip> kept;
  for (Clip& clip : found.clips) {
    const bool in = options.include.empty() || matches_any(options.include, clip.path);
    if (in && !matches_any(options.exclude, clip.path)) kept.push_back(std::move(clip));
  }
  if (options.holdout.asked()) {
    const std::vector<bool> held = held_out(kept, options.holdout);
    const bool wanted = options.subset == "test";
    std::vector<Clip> side;
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (held[i] == wanted) side.push_back(std::move(kept[i]));
    kept = std::move(side);
  }
  if (kept.empty())
    throw Error(ErrorKind::data, options.root.string(),
                found.clips.empty()
                    ? "no videos in the class folders: expected files with a known extension, got none"
                    : "no video is left: expected some after include, exclude and holdout, got none of " +
                          std::to_string(found.clips.size()),
                found.clips.empty() ? "extensions = [...] names others" : "");
  found.clips = std::move(kept);
}

// Classes with few videos are the host's to warn about: it does so for every data set.
void warn_about_repeats(const Found& found, Context& context) {
  std::set<std::string> paths;
  std::size_t repeated = 0;
  for (const Clip& clip : found.clips) repeated += paths.insert(clip.path).second ? 0 : 1;
  if (repeated > 0)
    context.warn("video_folder: the list names " + std::to_string(repeated) + " files more than once");
}

std::shared_ptr<Dataset> make_folder(const FolderOptions& options, Context& context) {
  check_options(options);
  ScanOptions scan{options.root, options.classes, options.extensions, options.allow_absolute};
  if (options.classes_file) scan.classes = read_classes(*options.classes_file);
  Found found = options.list ? read_list(*options.list, scan) : scan_folders(scan);
  keep_subset(options, found);
  warn_about_repeats(found, context);
  return std::make_shared<VideoFolder>(options.root, std::move(found));
}

Options<Holdout> holdout_options() {
  return Options<Holdout>()
      .add("fraction", &Holdout::fraction, "share of each class, or of the groups, that is kept back",
           above(0), at_most(0.9))
      .add("seed", &Holdout::seed, "another number chooses others")
      .add("group_regex", &Holdout::group_regex,
           "found in the relative path: the file is kept back; with groups or fraction its first capture "
           "names the "
           "group")
      .add("groups", &Holdout::groups, "groups that are kept back");
}

}  // namespace
}  // namespace kinema::video_folder

KINEMA_PLUGIN("video_folder", "1.0", "a folder for each class of videos, or a list of paths and labels") {
  using namespace kinema;
  using namespace kinema::video_folder;
  using O = FolderOptions;
  registrar.add<Dataset>(
      "video_folder", "a folder for each class of videos, or a list of paths and labels",
      Options<O>()
          .add("root", &O::root, "folder that holds the class folders; paths of a list start here")
          .required()
          .add("list", &O::list,
               "file of `path label` lines (the last white space splits) instead of folders")
          .add("classes", &O::classes, "class names in label order; default: the folders, sorted by byte")
          .add("classes_file", &O::classes_file, "the same, one a line of a file")
          .add("include", &O::include, "patterns over the relative path, * crosses folders; empty: all")
          .add("exclude", &O::exclude, "patterns of files to leave out")
          .add_table("holdout", &O::holdout, "what is kept back for testing, the same in both tables",
                     holdout_options())
          .add("subset", &O::subset, "which side of the holdout this is", one_of("train", "test"))
          .add("extensions", &O::extensions, "of video files, lower case, without dot")
          .add("allow_absolute", &O::allow_absolute, "lets a list name absolute paths and \"..\""),
      make_folder);
}
