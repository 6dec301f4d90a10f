#include "framework/data/check_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "framework/data/clip_source.h"
#include "framework/data/parallel.h"
#include "framework/data/source_index.h"
#include "framework/data/temporal.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

SourceKind kind_of(const Source& source) {
  if (source.frames) return SourceKind::own_pixels;
  return source.video.empty() ? SourceKind::pictures : SourceKind::video;
}

// Pictures and own pixels, through the door that clips come through, one frame after another.
void look_through(const Source& source, const CheckOptions& options, media::Examination& found) {
  const std::unique_ptr<OpenSource> open = open_source(source, options.limits);
  found.info.size = found.info.stored_size = open->size();
  found.info.frame_count = open->frame_count();
  found.info.fps = open->fps();
  if (open->fps() > 0) found.info.duration_s = static_cast<double>(open->frame_count()) / open->fps();
  Geometry pixel = Geometry::whole(open->size());
  pixel.resize({1, 1});
  std::vector<std::uint8_t> rgb(3);
  std::int64_t errors = 0;
  std::string message;
  const std::int64_t last = open->frame_count() - 1;
  const bool all = options.depth == media::Depth::everything;
  for (std::int64_t frame = 0; frame <= last; frame += all ? 1 : std::max<std::int64_t>(1, last)) {
    const ReadFacts facts = open->read(std::vector{frame}, pixel, rgb.data());
    errors += facts.decoder_errors;
    if (message.empty()) message = facts.first_message;
  }
  found.decoded = all;
  if (errors > 0) found.add("decoder_errors", fmt::format("{} message(s): {}", errors, message));
}

media::Examination examine_source(const Source& source, const CheckOptions& options) {
  if (kind_of(source) == SourceKind::video)
    return media::examine(source.video.string(), options.depth, options.limits);
  media::Examination found;
  found.info.codec = found.info.container = name_of(kind_of(source));
  try {
    look_through(source, options, found);
    found.usable = true;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    const Problem& problem = error.problems().front();
    found.reason = problem.where == source_name(source) ? problem.what : problem.where + ": " + problem.what;
  }
  return found;
}

void examine_all(const std::vector<Source>& sources, const CheckOptions& options, CheckReport& report) {
  for_each_parallel(
      sources.size(), options.threads,
      [&](std::size_t i) { report.files[i].found = examine_source(sources[i], options); },
      [&](std::size_t finished) {
        if (options.progress) options.progress(finished, sources.size());
      });
}

// Why an item cannot be used; empty: it can.
std::string fault_of(const Item& item, const std::vector<std::size_t>& files, const CheckReport& report) {
  for (const std::size_t file : files)
    if (!report.files[file].found.usable)
      return report.files[file].name + ": " + report.files[file].found.reason;
  try {
    for (const std::size_t file : files) {
      const media::VideoInfo& info = report.files[file].found.info;
      frame_range(item.span, info.frame_count, info.fps);
    }
  } catch (const Error& error) {
    return error.problems().front().what;
  }
  return {};
}

std::size_t sum(const std::vector<CheckedFile>& files, bool (*counts)(const media::Examination&)) {
  return static_cast<std::size_t>(
      std::count_if(files.begin(), files.end(), [&](const CheckedFile& file) { return counts(file.found); }));
}

}  // namespace

const char* name_of(SourceKind kind) {
  static constexpr const char* kNames[] = {"video", "picture", "pictures", "own pixels"};
  return kNames[static_cast<int>(kind)];
}

std::size_t CheckReport::usable() const {
  return sum(files, [](const media::Examination& found) { return found.usable; });
}

std::size_t CheckReport::with_faults() const {
  return sum(files, [](const media::Examination& found) { return found.usable && !found.faults.empty(); });
}

std::map<std::string, std::size_t> CheckReport::reasons() const {
  std::map<std::string, std::size_t> counts;
  for (const CheckedFile& file : files)
    if (!file.found.usable) ++counts[file.found.reason.substr(0, file.found.reason.find(':'))];
  return counts;
}

std::map<std::string, std::size_t> CheckReport::faults() const {
  std::map<std::string, std::size_t> counts;
  for (const CheckedFile& file : files)
    for (const media::Fault& fault : file.found.faults) ++counts[fault.name];
  return counts;
}

CheckReport check_files(const std::vector<NamedFile>& files, const CheckOptions& options) {
  CheckReport report;
  std::vector<Source> sources(files.size());
  for (std::size_t i = 0; i < files.size(); ++i) {
    sources[i].video = files[i].path;
    report.files.push_back({.name = files[i].name});
  }
  examine_all(sources, options, report);
  for (CheckedFile& file : report.files)
    if (file.found.picture) file.kind = SourceKind::picture;
  return report;
}

CheckReport check_splits(const std::vector<Split>& splits, const CheckOptions& options) {
  CheckReport report;
  SourceIndex index;
  for (const Split& split : splits) {
    for (std::size_t i = 0; i < split.items->size(); ++i) {
      const Item item = split.items->item(i);
      for (const Source& source : item.sources) {
        const std::size_t file = index.number(source);
        if (file == report.files.size())
          report.files.push_back({source.frames ? item.key : source_name(source), kind_of(source)});
        ++report.files[file].items;
      }
    }
  }
  examine_all(index.sources(), options, report);
  for (CheckedFile& file : report.files) {
    if (!file.found.usable || !file.found.picture) continue;
    file.found.usable = false;
    file.found.reason = "a picture: expected a video, got a file of format " + file.found.info.codec;
  }
  for (const Split& split : splits) {
    SplitCount count{split.name, split.items->size()};
    for (std::size_t i = 0; i < count.items; ++i) {
      const Item item = split.items->item(i);
      std::vector<std::size_t> files;
      for (const Source& source : item.sources) files.push_back(index.number(source));
      std::string reason = fault_of(item, files, report);
      if (reason.empty()) continue;
      ++count.unusable;
      const bool of_file = std::any_of(files.begin(), files.end(),
                                       [&](std::size_t file) { return !report.files[file].found.usable; });
      report.items.push_back({split.name, i, item.key, std::move(reason), of_file});
    }
    report.splits.push_back(std::move(count));
  }
  return report;
}

}  // namespace kinema::data
