#include <memory>
#include <optional>
#include <system_error>

#include "annotations.h"
#include "kinema/dataset.h"
#include "kinema/plugin.h"

namespace kinema::ucf101 {
namespace {

struct Ucf101Options {
  std::filesystem::path root;
  std::optional<std::filesystem::path> annotations;
  std::int64_t split = 1;
  std::string subset = "train";
};

class Ucf101 final : public Dataset {
 public:
  Ucf101(std::filesystem::path videos, std::vector<std::string> classes, std::vector<Clip> clips)
      : videos_(std::move(videos)), classes_(std::move(classes)), clips_(std::move(clips)) {}

  std::size_t size() const override { return clips_.size(); }
  std::vector<std::string> classes() const override { return classes_; }
  Item item(std::size_t index) const override {
    const Clip& clip = clips_.at(index);
    Item item;
    item.sources.resize(1);
    item.sources[0].video = videos_ / clip.path;
    item.target.label = clip.label;
    item.key = clip.path;
    return item;
  }

 private:
  std::filesystem::path videos_;
  std::vector<std::string> classes_;
  std::vector<Clip> clips_;
};

// False when there is no such folder; throws for one that cannot be looked at.
bool is_folder(const std::filesystem::path& path) {
  std::error_code failure;
  if (std::filesystem::is_directory(path, failure)) return true;
  if (failure && failure != std::errc::no_such_file_or_directory && failure != std::errc::not_a_directory)
    throw Error(ErrorKind::data, path.string(),
                "cannot be looked at: expected a readable folder, got \"" + failure.message() + "\"");
  return false;
}

// `name` inside the root where the official archives put it, else the root itself.
std::filesystem::path inside(const std::filesystem::path& root, const char* name) {
  return is_folder(root / name) ? root / name : root;
}

std::shared_ptr<Dataset> make_ucf101(const Ucf101Options& options, Context&) {
  if (!is_folder(options.root))
    throw Error(ErrorKind::data, options.root.string(),
                "no such folder: expected the unpacked UCF101 videos, got none",
                "root is the folder above ApplyEyeMakeup, or the one that holds UCF-101");
  const std::filesystem::path lists = options.annotations.value_or(inside(options.root, "ucfTrainTestlist"));
  const bool train = options.subset == "train";
  std::vector<std::string> classes = read_class_index(lists / "classInd.txt");
  const std::string name = (train ? "trainlist0" : "testlist0") + std::to_string(options.split) + ".txt";
  std::vector<Clip> clips = read_split(lists / name, classes, train);
  return std::make_shared<Ucf101>(inside(options.root, "UCF-101"), std::move(classes), std::move(clips));
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
          .add("split", &O::split, "official split", one_of(1, 2, 3))
          .add("subset", &O::subset, "train or test list of the split", one_of("train", "test")),
      make_ucf101);
}
