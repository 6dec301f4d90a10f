#include "framework/data/numbered_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "framework/media/picture.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

// "dir/img_%05d.jpg": what stands before and after the number, and its least number of digits.
struct NumberedName {
  std::string before, after;
  int digits = 0;

  explicit NumberedName(const std::filesystem::path& pattern) {
    const std::string name = pattern.filename().string();
    int numbers = 0;
    for (std::size_t at = 0; at < name.size(); ++at) {
      std::string& part = numbers == 0 ? before : after;
      if (name[at] != '%') {
        part += name[at];
      } else if (at + 1 < name.size() && name[at + 1] == '%') {
        part += name[++at];
      } else {
        while (++at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])))
          digits = std::min(99, digits * 10 + (name[at] - '0'));
        if (at >= name.size() || name[at] != 'd') numbers = 2;  // not a number
        ++numbers;
      }
    }
    if (numbers != 1)
      throw Error(
          ErrorKind::data, pattern.string(),
          fmt::format("not a pattern of numbered pictures: expected one %d or %05d in it, got \"{}\"", name),
          "%% is a percent sign");
    before = (pattern.parent_path() / before).string();
  }
  std::string name(std::int64_t number) const {
    return fmt::format("{}{:0{}d}{}", before, number, digits, after);
  }
};

std::int64_t count_of(const NumberedName& name, std::int64_t first) {
  std::int64_t count = 0;
  std::error_code unreadable;
  while (std::filesystem::exists(name.name(first + count), unreadable)) ++count;
  return count;
}

std::size_t pixels_of(const Geometry& geometry) {
  return static_cast<std::size_t>(geometry.output.width) * static_cast<std::size_t>(geometry.output.height);
}

class NumberedPictures final : public OpenSource {
 public:
  NumberedPictures(const std::filesystem::path& pattern, const Source& source, const media::Limits& limits)
      : name_(pattern),
        first_(source.first_number),
        count_(count_of(name_, first_)),
        fps_(source.pattern_fps),
        limits_(limits) {
    if (count_ == 0)
      throw Error(ErrorKind::data, pattern.string(),
                  fmt::format("no pictures: expected a file {}, got none", name_.name(first_)));
    size_ = open(0).size();
  }
  Size size() const override { return size_; }
  std::int64_t frame_count() const override { return count_; }
  double fps() const override { return fps_; }
  ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) override {
    ReadFacts facts;
    for (const std::int64_t frame : frames) {
      media::Picture picture = open(frame);
      if (picture.size() != size_)
        throw Error(ErrorKind::data, name_.name(first_ + frame),
                    fmt::format("the size changes: expected {}x{}, got {}x{}", size_.width, size_.height,
                                picture.size().width, picture.size().height));
      picture.read(geometry, out);
      const media::ClipReport& report = picture.report();
      facts.decoder_errors += report.errors + report.corrupt_frames;
      if (facts.first_message.empty()) facts.first_message = report.first_message;
      out += 3 * pixels_of(geometry);
    }
    return facts;
  }

 private:
  media::Picture open(std::int64_t frame) const {
    return media::Picture::open(name_.name(first_ + frame), limits_);
  }
  NumberedName name_;
  std::int64_t first_ = 0, count_ = 0;
  double fps_ = 0;
  media::Limits limits_;
  Size size_;
};

class FlowPairs final : public OpenSource {
 public:
  FlowPairs(const Source& source, const media::Limits& limits)
      : right_(source.pattern, source, limits), down_(source.pattern_down, source, limits) {
    if (right_.frame_count() != down_.frame_count() || right_.size() != down_.size())
      throw Error(ErrorKind::data, source.pattern_down.string(),
                  fmt::format("half a flow: expected {} pictures of {}x{} as in {}, got {} of {}x{}",
                              right_.frame_count(), right_.size().width, right_.size().height,
                              source.pattern.filename().string(), down_.frame_count(), down_.size().width,
                              down_.size().height));
  }
  Size size() const override { return right_.size(); }
  std::int64_t frame_count() const override { return right_.frame_count(); }
  double fps() const override { return right_.fps(); }
  std::int64_t channels() const override { return kFlowChannels; }
  ReadFacts read(std::span<const std::int64_t> frames, const Geometry& geometry, std::uint8_t* out) override {
    grey_.resize(3 * frames.size() * pixels_of(geometry));
    ReadFacts facts = right_.read(frames, geometry, out);
    const ReadFacts other = down_.read(frames, geometry, grey_.data());
    facts.decoder_errors += other.decoder_errors;
    if (facts.first_message.empty()) facts.first_message = other.first_message;
    for (std::size_t i = 0; i < grey_.size(); i += 3) {
      out[i + 1] = grey_[i];
      out[i + 2] = 128;
    }
    if (geometry.flip) turn_flow({out, grey_.size()});
    return facts;
  }

 private:
  NumberedPictures right_, down_;
  std::vector<std::uint8_t> grey_;
};

}  // namespace

void turn_flow(std::span<std::uint8_t> pixels) {
  for (std::size_t i = 0; i < pixels.size(); i += 3) pixels[i] = static_cast<std::uint8_t>(255 - pixels[i]);
}

std::vector<std::filesystem::path> pictures_of(const Source& source) {
  std::vector<std::filesystem::path> files;
  for (const std::filesystem::path& pattern : {source.pattern, source.pattern_down}) {
    if (pattern.empty()) continue;
    const NumberedName name(pattern);
    const std::int64_t count = count_of(name, source.first_number);
    for (std::int64_t i = 0; i < count; ++i) files.push_back(name.name(source.first_number + i));
  }
  return files;
}

std::unique_ptr<OpenSource> open_pictures(const Source& source, const media::Limits& limits) {
  if (source.pattern_down.empty()) return std::make_unique<NumberedPictures>(source.pattern, source, limits);
  return std::make_unique<FlowPairs>(source, limits);
}

}  // namespace kinema::data
