#include "framework/flow/extract.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>

#include "framework/data/parallel.h"
#include "framework/tracking/run_file.h"

namespace kinema::flow {
namespace {

namespace fs = std::filesystem;

std::string text_of(const FlowOptions& options) {
  return fmt::format("method {}\nbound {}\nshort_side {}\npictures {}\n",
                     options.method == Method::tv_l1 ? "tvl1" : "farneback", options.bound,
                     options.short_side, options.format == media::PictureFormat::png ? "png" : "jpg");
}

std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

void remember_options(const fs::path& output, const FlowOptions& options) {
  const fs::path file = output / "kinema_flow.txt";
  const std::string wanted = text_of(options);
  std::error_code failure;
  fs::create_directories(output, failure);
  if (std::ifstream in(file); in) {
    const std::string there{std::istreambuf_iterator<char>(in), {}};
    if (there == wanted) return;
    throw Error(
        ErrorKind::usage, output.string(),
        fmt::format("holds flow of another kind: expected {}, got {}", one_line(wanted), one_line(there)),
        "choose another --output, or remove the folder");
  }
  tracking::write_atomically(file, wanted);
}

void check_folders(const std::vector<FlowJob>& jobs, const fs::path& output) {
  std::vector<Problem> problems;
  for (const FlowJob& job : jobs) {
    const fs::path folder = job.folder;
    const bool leaves = folder.is_absolute() || std::find(folder.begin(), folder.end(), "..") != folder.end();
    if (leaves || folder.empty() || folder.filename().empty() || folder == ".")
      problems.push_back(
          {job.folder,
           fmt::format("no place below {}: expected a relative path without \"..\", got \"{}\"",
                       output.string(), job.folder),
           {},
           {}});
  }
  if (!problems.empty()) throw Error(ErrorKind::usage, std::move(problems));
}

// What the threads that work share with the one that tells.
class Shared {
 public:
  explicit Shared(std::size_t jobs) : problems_(jobs) {}

  void pair() {
    const std::lock_guard lock(mutex_);
    ++progress_.pairs;
  }
  void written() { count(&Extracted::written); }
  void there() { count(&Extracted::already_there); }
  void bad(std::size_t job, const Error& error) {
    const std::lock_guard lock(mutex_);
    ++progress_.videos;
    problems_[job] = error.problems();
  }
  ExtractProgress progress() {
    const std::lock_guard lock(mutex_);
    return progress_;
  }
  Extracted result() {
    result_.pairs = progress_.pairs;
    for (auto& problems : problems_)
      std::move(problems.begin(), problems.end(), std::back_inserter(result_.bad));
    return std::move(result_);
  }

 private:
  void count(std::int64_t Extracted::*what) {
    const std::lock_guard lock(mutex_);
    ++progress_.videos;
    ++(result_.*what);
  }

  std::mutex mutex_;
  ExtractProgress progress_;
  Extracted result_;
  std::vector<std::vector<Problem>> problems_;  // of each job
};

void do_job(const FlowJob& job, std::size_t number, const fs::path& output, const FlowOptions& options,
            int threads, Shared& shared) {
  const fs::path folder = output / job.folder;
  std::error_code ignored;
  if (fs::exists(folder / picture_name('x', 1, options.format), ignored)) return shared.there();
  try {
    write_flow(job.source, folder, options, threads, [&] { shared.pair(); });
    shared.written();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;  // a full disk is no video's fault
    shared.bad(number, error);
  }
}

}  // namespace

Extracted extract(const std::vector<FlowJob>& jobs, const fs::path& output, const FlowOptions& options,
                  int threads, const std::function<void(const ExtractProgress&)>& tell) {
  check_folders(jobs, output);
  remember_options(output, options);
  Shared shared(jobs.size());
  const int videos = std::clamp(static_cast<int>(jobs.size()), 1, threads);
  const int of_a_video = std::max(1, threads / videos);
  data::for_each_parallel(
      jobs.size(), videos, [&](std::size_t i) { do_job(jobs[i], i, output, options, of_a_video, shared); },
      [&](std::size_t) { tell(shared.progress()); });
  return shared.result();
}

}  // namespace kinema::flow
