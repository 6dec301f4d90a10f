#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "framework/eval/assembly.h"
#include "framework/eval/evaluation.h"

namespace kinema::infer {

struct ClassScore {
  std::string name;
  double score = 0;  // softmax, mean over the views
};

struct VideoPrediction {
  std::string video;
  std::vector<ClassScore> top;  // best first; empty when no view of it could be read
  std::string problem;          // then why
};

// Names the action in each video, with the evaluation views of the workshop's experiment. Videos that cannot
// be read get a problem and never stop the others. Results in the order of the videos; `top` classes each.
std::vector<VideoPrediction> predict(Model& model, const eval::Workshop& workshop,
                                     const std::vector<std::filesystem::path>& videos, std::size_t top,
                                     const eval::EvaluationOptions& options);

// The files that a user's arguments mean: a file itself, or all files below a folder in byte order. Throws
// Error(data) for what is not there.
std::vector<std::filesystem::path> video_files(const std::vector<std::string>& arguments);

}  // namespace kinema::infer
