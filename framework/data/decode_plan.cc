#include "framework/data/decode_plan.h"

#include <fmt/format.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <optional>

#include "framework/data/clip_source.h"
#include "framework/data/parallel.h"
#include "framework/data/pixel_means.h"
#include "framework/data/transforms.h"
#include "framework/tracking/clock.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

constexpr std::size_t kFields = 8, kShown = 20;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(separator, begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::optional<std::int64_t> number(const std::string& text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  constexpr std::int64_t kMost = 1'000'000'000;
  if (error != std::errc() || end != text.data() + text.size() || value < 0 || value > kMost)
    return std::nullopt;
  return value;
}

DecodeJob job_of(const std::string& line) {
  const std::vector<std::string> fields = split(line, '\t');
  const auto wrong = [&](const std::string& what) { return Error(ErrorKind::data, "", what); };
  if (fields.size() != kFields)
    throw wrong(fmt::format("not a clip: expected {} fields between tabs, got {}", kFields, fields.size()));
  int values[6] = {};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto value = number(fields[i + 1]);
    if (!value) throw wrong("not a size or place: expected a whole number, got \"" + fields[i + 1] + "\"");
    values[i] = static_cast<int>(*value);
  }
  const auto [width, height, crop_y, crop_x, short_side, crop] = values;
  if (width < 1 || height < 1 || crop < 1)
    throw wrong("an empty picture: expected sizes of at least 1, got 0");
  DecodeJob job;
  job.video = fields[0];
  job.frame = {width, height};
  job.geometry = Geometry::whole({width, height});
  if (short_side > 0 && short_side != std::min(width, height))
    job.geometry.resize(short_side_size({width, height}, short_side));
  job.geometry.crop(crop_x, crop_y, {crop, crop});
  for (const std::string& text : split(fields[7], ',')) {
    const auto frame = number(text);
    if (!frame) throw wrong("not a frame number: expected a whole number, got \"" + text + "\"");
    job.frames.push_back(*frame);
  }
  return job;
}

// [frames, height, width, 3] bytes to [3, frames, height, width].
void to_floats(const std::vector<std::uint8_t>& bytes, std::vector<float>& floats) {
  constexpr float kMean = 0.45F, kStd = 0.225F;
  const std::size_t pixels = bytes.size() / 3;
  floats.resize(bytes.size());
  for (std::size_t c = 0; c < 3; ++c)
    for (std::size_t i = 0; i < pixels; ++i)
      floats[c * pixels + i] = static_cast<float>(bytes[3 * i + c]) * (1 / (255 * kStd)) - kMean / kStd;
}

std::array<double, 3> planar_means(const std::vector<float>& floats) {
  std::array<double, 3> means{};
  const std::size_t pixels = floats.size() / 3;
  for (std::size_t i = 0; i < floats.size(); ++i) means[i / pixels] += floats[i];
  for (double& mean : means) mean /= static_cast<double>(pixels);
  return means;
}

// What one thread works with: the loader's reader, and memory that it uses again.
struct Desk {
  ClipReader reader{std::make_shared<const ClipRecipe>()};
  std::vector<std::uint8_t> bytes;
  std::vector<float> floats;
};

std::array<double, 3> decode(const DecodeJob& job, const DecodeOptions& options, Desk& desk) {
  Source source;
  source.video = job.video;
  OpenSource& video = desk.reader.open(source);
  if (video.size() != job.frame)
    throw Error(ErrorKind::data, job.video.string(),
                fmt::format("another frame size than planned: expected {}x{}, got {}x{}", job.frame.width,
                            job.frame.height, video.size().width, video.size().height));
  const Size out = job.geometry.output;
  desk.bytes.resize(job.frames.size() * static_cast<std::size_t>(out.width) *
                    static_cast<std::size_t>(out.height) * 3);
  video.read(job.frames, job.geometry, desk.bytes.data());
  if (options.floats) to_floats(desk.bytes, desk.floats);
  if (!options.check) return {};
  return options.floats ? planar_means(desk.floats) : pixel_means(desk.bytes);
}

}  // namespace

std::vector<DecodeJob> read_decode_plan(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file))
    throw Error(ErrorKind::data, file.string(), "cannot read the plan: expected a text file, got none");
  std::vector<DecodeJob> jobs;
  std::vector<Problem> problems;
  std::string line;
  for (std::size_t place = 1; std::getline(in, line); ++place) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty() || line[0] == '#') continue;
    try {
      jobs.push_back(job_of(line));
    } catch (const Error& error) {
      if (problems.size() < kShown)
        problems.push_back({fmt::format("{}:{}", file.string(), place), error.problems().front().what});
    }
  }
  if (jobs.empty() && problems.empty())
    problems.push_back({file.string(), "an empty plan: expected a line for each clip, got none"});
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return jobs;
}

DecodeFigures run_decode_plan(const std::vector<DecodeJob>& jobs, const DecodeOptions& options) {
  std::vector<std::array<double, 3>> means(jobs.size());
  std::vector<std::vector<Problem>> problems(jobs.size());  // a thread writes its own jobs' places
  std::atomic<std::size_t> next = 0;
  const auto work = [&](std::size_t) {
    Desk desk;
    for (std::size_t i = next++; i < jobs.size(); i = next++) try {
        means[i] = decode(jobs[i], options, desk);
      } catch (const Error& error) {
        problems[i] = error.problems();
      }
  };
  DecodeFigures figures;
  const double cpu_before = tracking::process_cpu_s();
  const auto begin = std::chrono::steady_clock::now();
  for_each_parallel(static_cast<std::size_t>(options.threads), options.threads, work);
  figures.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  figures.cpu_seconds = tracking::process_cpu_s() - cpu_before;
  std::vector<Problem> all;
  for (auto& each : problems) std::move(each.begin(), each.end(), std::back_inserter(all));
  if (all.size() > kShown) all.resize(kShown);
  if (!all.empty()) throw Error(ErrorKind::data, std::move(all));
  if (options.check) figures.means = std::move(means);
  return figures;
}

}  // namespace kinema::data
