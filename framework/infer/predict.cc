#include "framework/infer/predict.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "framework/data/recipe.h"
#include "kinema/error.h"

namespace kinema::infer {
namespace {

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
  const eval::EvaluationResult result = eval::evaluate(
      model, nullptr, [&] { return loader.next(); }, {}, own);
  for (const eval::Prediction& prediction : result.predictions)
    results[prediction.index].top = best_classes(prediction.scores, workshop.classes, top);
  for (const data::ClipInfo& clip : result.unreadable) results[clip.index].problem = clip.problem;
  return results;
}

std::vector<std::filesystem::path> video_files(const std::vector<std::string>& arguments) {
  namespace fs = std::filesystem;
  std::vector<fs::path> files;
  std::vector<Problem> problems;
  for (const std::string& argument : arguments) {
    if (fs::is_regular_file(argument)) {
      files.emplace_back(argument);
    } else if (fs::is_directory(argument)) {
      const std::size_t before = files.size();
      for (const fs::directory_entry& entry : fs::recursive_directory_iterator(argument))
        if (entry.is_regular_file() && !entry.path().filename().string().starts_with('.'))
          files.push_back(entry.path());
      std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    } else {
      problems.push_back({argument, "no such video: expected a file or a folder, got nothing there"});
    }
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return files;
}

}  // namespace kinema::infer
