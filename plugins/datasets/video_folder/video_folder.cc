#include <memory>
#include <set>
#include <string_view>
#include <unordered_set>

#include "annotations/holdout.h"
#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"
#include "scan.h"

namespace kinema::video_folder {
namespace {

struct FolderOptions : annotations::FlowOptions {
  std::filesystem::path root;
  std::optional<std::filesystem::path> list;
  std::vector<std::string> classes;
  std::optional<std::filesystem::path> classes_file;
  std::vector<std::string> include, exclude;
  annotations::Holdout holdout;
  std::optional<std::string> subset;
  std::vector<std::string> extensions = annotations::video_extensions();
  bool allow_absolute = false;
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
  annotations::check_flow(options, "video_folder", problems);
  annotations::check_subset(options.holdout, options.subset, "video_folder", problems);
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
  annotations::check_folder(options.root);
}

// Classes with few videos are the host's to warn about: it does so for every data set.
void warn_about_repeats(const Found& found, Context& context) {
  std::unordered_set<std::string_view> paths;
  std::size_t repeated = 0;
  for (std::size_t i = 0; i < found.clips.size(); ++i)
    repeated += paths.insert(found.clips.path(i)).second ? 0 : 1;
  if (repeated > 0)
    context.warn("video_folder: the list names " + std::to_string(repeated) + " files more than once");
}

std::shared_ptr<Dataset> make_folder(const FolderOptions& options, Context& context) {
  check_options(options);
  ScanOptions scan{options.root, annotations::given_classes(options.classes, options.classes_file),
                   options.extensions, options.allow_absolute};
  Found found = options.list ? read_list(*options.list, scan) : scan_folders(scan);
  if (!found.remark.empty()) context.warn("video_folder: " + found.remark);
  if (found.clips.empty())
    throw Error(ErrorKind::data, options.root.string(),
                "no videos in the class folders: expected files with a known extension, got none",
                "extensions = [...] names others");
  annotations::keep_side({options.include, options.exclude, options.holdout, options.subset},
                         options.root.string(), found.clips);
  warn_about_repeats(found, context);
  annotations::add_flow(options, options.root, "video_folder", context, found.clips);
  annotations::ClipList::Layout layout{options.root};
  layout.flow = options;
  return std::make_shared<annotations::ClipList>(std::move(layout), std::move(found.classes),
                                                 std::move(found.clips));
}

}  // namespace
}  // namespace kinema::video_folder

KINEMA_PLUGIN("video_folder", "1.0", "a folder for each class of videos, or a list of paths and labels") {
  using namespace kinema;
  using namespace kinema::video_folder;
  using O = FolderOptions;
  Options<O> options;
  options.add("root", &O::root, "folder that holds the class folders; paths of a list start here")
      .required()
      .add("list", &O::list, "file of `path label` lines (the last white space splits) instead of folders")
      .add("classes", &O::classes, "class names in label order; default: the folders, sorted by byte")
      .add("classes_file", &O::classes_file, "the same, one a line of a file")
      .add("include", &O::include, "patterns over the relative path, * crosses folders; empty: all")
      .add("exclude", &O::exclude, "patterns of files to leave out")
      .add_table("holdout", &O::holdout, "what is kept back for testing, the same in both tables",
                 annotations::holdout_options())
      .add("subset", &O::subset, "which side of the holdout this is", one_of("train", "test"))
      .add("extensions", &O::extensions, "of video files, lower case, without dot")
      .add("allow_absolute", &O::allow_absolute, "lets a list name absolute paths and \"..\"");
  annotations::add_flow_options(options);
  registrar.add<Dataset>("video_folder", "a folder for each class of videos, or a list of paths and labels",
                         options, make_folder);
}
