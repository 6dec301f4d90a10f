#include <map>
#include <memory>
#include <set>

#include "annotations/clip_list.h"
#include "annotations/paths.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::hmdb51 {
namespace {

using namespace annotations;

struct Hmdb51Options {
  std::filesystem::path root;
  std::optional<std::filesystem::path> annotations;
  std::int64_t split = 1;
  std::string subset = "train";
  Missing missing = Missing::keep;
};

// Class and file of each list of a split: "brush_hair_test_split1.txt". Sorted by class.
std::map<std::string, std::filesystem::path> lists_of(const std::filesystem::path& folder,
                                                      std::int64_t split) {
  const std::string ending = "_test_split" + std::to_string(split) + ".txt";
  std::map<std::string, std::filesystem::path> lists;
  std::set<std::string> all;  // classes of any split
  for (const auto& entry : sorted_entries(folder)) {
    const std::string name = entry.path().filename().string();
    if (const std::size_t at = name.find("_test_split"); at != std::string::npos)
      all.insert(name.substr(0, at));
    if (name.ends_with(ending)) lists[name.substr(0, name.size() - ending.size())] = entry.path();
  }
  if (lists.empty())
    throw Error(ErrorKind::data, folder.string(),
                "no lists: expected files like brush_hair" + ending + ", got none",
                "annotations names the folder with the 153 files of testTrainMulti_7030_splits");
  std::vector<Problem> problems;
  for (const std::string& name : all)
    if (!lists.contains(name))
      problems.push_back({folder.string(),
                          "a class without its list: expected " + name + ending + ", got none",
                          "labels are places in the sorted class names: one that is missing would move them",
                          {}});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return lists;
}

// Adds the clips of one class: `name.avi TAG`, 1 train, 2 test, 0 neither.
void read_class(const std::string& name, const std::filesystem::path& file, std::int64_t wanted,
                std::int64_t label, Clips& clips) {
  Complaints complaints(file);
  for_each_line(file, {"an official HMDB51 list", {}}, [&](const Line& line) {
    const std::vector<std::string> fields = words(line.text);
    const auto tag = fields.size() == 2 ? as_integer(fields[1]) : std::nullopt;
    if (!tag || *tag < 0 || *tag > 2 || fields[0].find('/') != std::string::npos)
      complaints.add(line.number,
                     "not a clip: expected `file.avi tag` with tag 0, 1 or 2, got \"" + line.text + "\"");
    else if (*tag == wanted)
      clips.push_back({.path = name + "/" + fields[0], .label = label});
  });
  complaints.report();
}

std::shared_ptr<Dataset> make_hmdb51(const Hmdb51Options& options, Context& context) {
  check_folder(options.root, "the unpacked HMDB51 videos",
               "root is the folder above brush_hair, or the one that holds hmdb51_org");
  const std::filesystem::path folder = options.annotations.value_or(
      inside(options.root, {"testTrainMulti_7030_splits", "test_train_splits", "annotations"}));
  std::vector<std::string> classes;
  Clips clips;
  for (const auto& [name, file] : lists_of(folder, options.split)) {
    read_class(name, file, options.subset == "train" ? 1 : 2, std::ssize(classes), clips);
    classes.push_back(name);
  }
  if (clips.empty()) throw Error(ErrorKind::data, folder.string(), "empty lists: expected clips, got none");
  if (classes.size() != 51)
    context.warn("hmdb51: there are lists for " + std::to_string(classes.size()) + " classes instead of 51");
  const std::filesystem::path videos = inside(options.root, {"hmdb51_org", "videos"});
  treat_missing(options.missing, videos, "hmdb51", context, clips);
  return std::make_shared<ClipList>(ClipList::Layout{videos}, std::move(classes), std::move(clips));
}

}  // namespace
}  // namespace kinema::hmdb51

KINEMA_PLUGIN("hmdb51", "1.0", "HMDB51 by its official lists") {
  using namespace kinema;
  using namespace kinema::hmdb51;
  using O = Hmdb51Options;
  registrar.add<Dataset>(
      "hmdb51", "HMDB51, 51 actions, by its official splits (labels: sorted class names)",
      Options<O>()
          .add("root", &O::root, "folder that holds the class folders, or hmdb51_org or videos with them")
          .required()
          .add("annotations", &O::annotations,
               "folder with the 153 lists; default: testTrainMulti_7030_splits in root, or root")
          .add("split", &O::split, "official split", one_of(1, 2, 3))
          .add("subset", &O::subset, "train or test clips of the split", one_of("train", "test"))
          .add_enum("missing", &O::missing,
                    "clips without a file: left out and counted, or kept for the run to meet",
                    annotations::missing_names()),
      make_hmdb51);
}
