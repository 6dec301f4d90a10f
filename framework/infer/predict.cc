#include "framework/infer/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <system_error>
#include <utility>

#include "framework/data/recipe.h"
#include "kinema/error.h"

namespace kinema::infer {
namespace {

namespace fs = std::filesystem;

// Videos without labels, as a data set.
class VideoList final : public Dataset {
 public:
  VideoList(std::vector<std::filesystem::path> videos, std::vector<std::string> classes)
      : videos_(std::move(videos)), classes_(std::move(classes)) {}
  std::size_t size() const override { return videos_.size(); }
  std::vector<std::string> classes() const override { return classes_; }
  Item item(std::size_t index) const override {
    Item item;
    item.sources.push_back({.video = videos_.at(index)});
    item.key = videos_[index].string();
    return item;
  }

 private:
  std::vector<std::filesystem::path> videos_;
  std::vector<std::string> classes_;
};

std::vector<ClassScore> best_classes(const std::vector<float>& scores,
                                     const std::vector<std::string>& classes, std::size_t top) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return scores[a] > scores[b]; });
  order.resize(std::min(top, order.size()));
  std::vector<ClassScore> best;
  for (const std::size_t c : order)
    best.push_back({c < classes.size() ? classes[c] : std::to_string(c), scores[c]});
  return best;
}

void add_folder(const fs::path& folder, std::vector<fs::path>& files, std::vector<Problem>& problems) {
  std::vector<fs::path> found;
  std::error_code failed;
  for (fs::recursive_directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed)) {
    std::error_code broken_link;
    if (it->is_regular_file(broken_link) && !it->path().filename().string().starts_with('.'))
      found.push_back(it->path());
  }
  if (failed) problems.push_back({folder.string(), "cannot read the folder: " + failed.message()});
  if (!failed && found.empty()) problems.push_back({folder.string(), "no videos: expected files, got none"});
  std::sort(found.begin(), found.end());
  files.insert(files.end(), found.begin(), found.end());
}

}  // namespace

std::vector<VideoPrediction> predict(Model& model, const eval::Workshop& workshop,
                                     const std::vector<std::filesystem::path>& videos, std::size_t top,
                                     const eval::EvaluationOptions& options) {
  std::vector<VideoPrediction> results;
  for (const std::filesystem::path& video : videos) results.push_back({video.string(), {}, {}});
  data::Loader loader(
      eval::eval_loader_setup(workshop, std::make_shared<VideoList>(videos, workshop.classes)));
  loader.start(0);
  eval::EvaluationOptions own = options;
  own.views = data::views_per_item(workshop.experiment.eval_clip);
  own.rule = eval::view_rule(workshop.experiment.eval, nullptr);
  const eval::EvaluationResult result = eval::evaluate(
      model, nullptr, [&] { return loader.next(); }, {}, own);
  for (const eval::Prediction& prediction : result.predictions)
    results[prediction.index].top = best_classes(prediction.scores, workshop.classes, top);
  for (const data::ClipInfo& clip : result.unreadable) results[clip.index].problem = clip.problem;
  return results;
}

std::vector<std::filesystem::path> video_files(const std::vector<std::string>& arguments) {
  std::vector<fs::path> files;
  std::vector<Problem> problems;
  for (const std::string& argument : arguments) {
    std::error_code failed;
    const fs::file_status status = fs::status(argument, failed);
    if (fs::is_directory(status)) {
      add_folder(argument, files, problems);
    } else if (fs::exists(status)) {
      files.emplace_back(argument);  // what is no video says so when it is opened
    } else {
      problems.push_back({argument, "no such video: expected a file or a folder, got nothing there"});
    }
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return files;
}

}  // namespace kinema::infer
