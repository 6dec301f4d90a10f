#include "framework/flow/write_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <numeric>
#include <system_error>

#include "framework/data/clip_source.h"
#include "framework/data/parallel.h"
#include "framework/data/transforms.h"
#include "framework/flow/farneback.h"
#include "framework/flow/tvl1.h"
#include "kinema/error.h"

namespace kinema::flow {
namespace {

namespace fs = std::filesystem;

Plane grey(const std::uint8_t* rgb, Size size) {
  Plane plane(size);
  for (float& value : plane.values) {
    value = std::floor(0.299F * rgb[0] + 0.587F * rgb[1] + 0.114F * rgb[2] + 0.5F);
    rgb += 3;
  }
  return plane;
}

// A folder that becomes the wanted one when everything is in it, and goes where something failed.
class Unfinished {
 public:
  explicit Unfinished(const fs::path& wanted)
      : wanted_(wanted),
        folder_(wanted.parent_path() / fmt::format(".{}.partial", wanted.filename().string())) {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~Unfinished() {
    std::error_code ignored;  // the next call removes it
    if (!finished_) fs::remove_all(folder_, ignored);
  }
  Unfinished(const Unfinished&) = delete;
  Unfinished& operator=(const Unfinished&) = delete;

  const fs::path& folder() const { return folder_; }
  void finish() {
    fs::rename(folder_, wanted_);
    finished_ = true;
  }

 private:
  fs::path wanted_, folder_;
  bool finished_ = false;
};

void write_pair(const Field& flow, const fs::path& folder, std::int64_t number, const FlowOptions& options) {
  for (const auto& [axis, plane] : {std::pair{'x', &flow.right}, std::pair{'y', &flow.down}})
    media::write_grey((folder / picture_name(axis, number, options.format)).string(),
                      to_bytes(*plane, options.bound).data(), plane->size, options.format);
}

// The frames of a video in order, some at a time.
class GreyFrames {
 public:
  GreyFrames(data::OpenSource& open, const FlowOptions& options)
      : open_(open), geometry_(Geometry::whole(open.size())) {
    if (options.short_side > 0) geometry_.resize(data::short_side_size(open.size(), options.short_side));
  }
  // Up to `count` more of them; none at the end.
  std::vector<Plane> next(std::int64_t count) {
    std::vector<std::int64_t> numbers(
        static_cast<std::size_t>(std::clamp<std::int64_t>(open_.frame_count() - next_, 0, count)));
    std::iota(numbers.begin(), numbers.end(), next_);
    next_ += std::ssize(numbers);
    const std::size_t bytes = static_cast<std::size_t>(geometry_.output.width) *
                              static_cast<std::size_t>(geometry_.output.height) * 3;
    pixels_.resize(bytes * numbers.size());
    if (!numbers.empty()) open_.read(numbers, geometry_, pixels_.data());
    std::vector<Plane> planes;
    for (std::size_t i = 0; i < numbers.size(); ++i)
      planes.push_back(grey(pixels_.data() + i * bytes, geometry_.output));
    return planes;
  }

 private:
  data::OpenSource& open_;
  Geometry geometry_;
  std::int64_t next_ = 0;
  std::vector<std::uint8_t> pixels_;
};

std::int64_t write_pairs(data::OpenSource& open, const fs::path& folder, const FlowOptions& options,
                         int threads, const std::function<void()>& pair_done) {
  GreyFrames frames(open, options);
  std::vector<Plane> planes = frames.next(1);
  std::int64_t pairs = 0;
  std::mutex telling;
  for (;;) {
    for (Plane& plane : frames.next(2 * std::int64_t{threads})) planes.push_back(std::move(plane));
    if (planes.size() < 2) return pairs;
    data::for_each_parallel(planes.size() - 1, threads, [&](std::size_t i) {
      const Field flow = options.method == Method::tv_l1 ? tv_l1(planes[i], planes[i + 1])
                                                         : farneback(planes[i], planes[i + 1]);
      write_pair(flow, folder, pairs + static_cast<std::int64_t>(i) + 1, options);
      const std::lock_guard lock(telling);
      pair_done();
    });
    pairs += std::ssize(planes) - 1;
    planes.erase(planes.begin(), planes.end() - 1);
  }
}

}  // namespace

std::vector<std::uint8_t> to_bytes(const Plane& plane, double bound) {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(plane.values.size());
  for (const float value : plane.values)
    bytes.push_back(
        static_cast<std::uint8_t>(std::floor(std::clamp(127.5 + value / bound * 127.5, 0.0, 255.0) + 0.5)));
  return bytes;
}

std::string picture_name(char axis, std::int64_t number, media::PictureFormat format) {
  return fmt::format("flow_{}_{:05}.{}", axis, number, format == media::PictureFormat::png ? "png" : "jpg");
}

std::int64_t write_flow(const Source& source, const fs::path& folder, const FlowOptions& options, int threads,
                        const std::function<void()>& pair_done) {
  const auto open = data::open_source(source, {});
  if (open->frame_count() < 2)
    throw Error(ErrorKind::data, data::source_name(source),
                fmt::format("no motion: expected at least two frames, got {}", open->frame_count()));
  try {
    Unfinished unfinished(folder);
    const std::int64_t pairs = write_pairs(*open, unfinished.folder(), options, threads, pair_done);
    unfinished.finish();
    return pairs;
  } catch (const fs::filesystem_error& error) {
    throw Error(
        ErrorKind::run, folder.string(),
        fmt::format("cannot be made: expected a folder for the flow, got \"{}\"", error.code().message()));
  }
}

}  // namespace kinema::flow
