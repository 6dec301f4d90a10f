#include "framework/data/statistics.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "framework/data/clip_source.h"
#include "framework/data/parallel.h"
#include "framework/data/source_index.h"
#include "framework/data/temporal.h"
#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::data {
namespace {

struct FileFacts {
  Size size;
  std::int64_t frames = 0;
  double fps = 0;
  std::string reason;  // why it cannot be read; empty: it can
};

// A readable item: its file and the frames of it.
struct Part {
  std::size_t file = 0;
  FrameRange range;
};

struct Draw {
  std::int64_t frame = 0;
  std::array<std::uint64_t, 3> sum = {}, squares = {};
  std::uint64_t pixels = 0;  // 0: could not be read
};

void count_target(const Target& target, Statistics& found) {
  const std::size_t classes = found.classes.size();
  bool counted = false;
  const auto count = [&](std::int64_t label, std::vector<std::size_t>& counts) {
    if (label < 0 || static_cast<std::size_t>(label) >= classes) return;
    ++counts[static_cast<std::size_t>(label)];
    counted = true;
  };
  count(target.label, found.items_of_class);
  for (std::size_t c = 0; c < target.values.size(); ++c)
    if (target.values[c] > 0) count(static_cast<std::int64_t>(c), found.items_of_class);
  const std::vector<LabelledBox>& boxes = target.truth ? *target.truth : target.boxes;
  if (!boxes.empty()) found.boxes_of_class.resize(classes);
  std::vector<bool> seen(boxes.empty() ? 0 : classes);
  for (const LabelledBox& box : boxes)
    for (const std::int64_t label : box.classes) {
      count(label, found.boxes_of_class);
      if (label < 0 || static_cast<std::size_t>(label) >= classes) continue;
      if (!seen[static_cast<std::size_t>(label)]) count(label, found.items_of_class);
      seen[static_cast<std::size_t>(label)] = true;
    }
  found.without_class += counted ? 0 : 1;
}

FileFacts facts_of(const Source& source, const media::Limits& limits) {
  try {
    const std::unique_ptr<OpenSource> open = open_source(source, limits);
    return {open->size(), open->frame_count(), open->fps(), {}};
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    return {.reason = error.problems().front().what};
  }
}

// Sums over one frame of a file.
void measure(OpenSource& open, Draw& draw) {
  const Size size = open.size();
  const std::size_t pixels = static_cast<std::size_t>(size.width) * static_cast<std::size_t>(size.height);
  std::vector<std::uint8_t> rgb(3 * pixels);
  open.read(std::vector{draw.frame}, Geometry::whole(size), rgb.data());
  for (std::size_t i = 0; i < rgb.size(); i += 3)
    for (std::size_t c = 0; c < 3; ++c) {
      const std::uint64_t value = rgb[i + c];
      draw.sum[c] += value;
      draw.squares[c] += value * value;
    }
  draw.pixels = pixels;
}

ChannelStatistics combine(const std::vector<std::vector<Draw>>& draws) {
  ChannelStatistics channels;
  std::array<double, 3> squares = {};
  constexpr double kFull = 255;
  for (const auto& of_file : draws)
    for (const Draw& draw : of_file) {
      if (draw.pixels == 0) continue;
      ++channels.frames;
      const auto pixels = static_cast<double>(draw.pixels);
      for (std::size_t c = 0; c < 3; ++c) {
        channels.mean[c] += static_cast<double>(draw.sum[c]) / pixels / kFull;
        squares[c] += static_cast<double>(draw.squares[c]) / pixels / (kFull * kFull);
      }
    }
  const auto count = static_cast<double>(std::max<std::size_t>(1, channels.frames));
  for (std::size_t c = 0; c < 3; ++c) {
    channels.mean[c] /= count;
    channels.std[c] = std::sqrt(std::max(0.0, squares[c] / count - channels.mean[c] * channels.mean[c]));
  }
  return channels;
}

// By file, so that each is opened once.
std::vector<std::vector<Draw>> draw_frames(const std::vector<Part>& parts, std::size_t files,
                                           const StatisticsOptions& options) {
  std::vector<std::vector<Draw>> draws(files);
  for (std::int64_t k = 0; k < options.pixel_frames; ++k) {
    Random random(options.seed, 0, static_cast<std::uint64_t>(k), "statistics");
    const Part& part = parts[random.below(parts.size())];
    const auto offset = random.below(static_cast<std::uint64_t>(part.range.count()));
    draws[part.file].push_back({part.range.begin + static_cast<std::int64_t>(offset)});
  }
  return draws;
}

ChannelStatistics channels_of(const std::vector<Source>& sources, const std::vector<Part>& parts,
                              const StatisticsOptions& options) {
  std::vector<std::vector<Draw>> draws = draw_frames(parts, sources.size(), options);
  for_each_parallel(
      sources.size(), options.threads,
      [&](std::size_t file) {
        if (draws[file].empty()) return;
        try {
          const std::unique_ptr<OpenSource> open = open_source(sources[file], options.limits);
          for (Draw& draw : draws[file]) measure(*open, draw);
        } catch (const Error& error) {  // a frame that a look at the packets could not show to be bad
          if (error.kind() != ErrorKind::data) throw;
        }
      },
      [&](std::size_t finished) {
        if (options.progress) options.progress(sources.size() + finished, 2 * sources.size());
      });
  return combine(draws);
}

std::vector<FileFacts> look_at(const std::vector<Source>& sources, const StatisticsOptions& options) {
  std::vector<FileFacts> facts(sources.size());
  const std::size_t steps = options.pixel_frames > 0 ? 2 : 1;
  for_each_parallel(
      sources.size(), options.threads,
      [&](std::size_t i) { facts[i] = facts_of(sources[i], options.limits); },
      [&](std::size_t finished) {
        if (options.progress) options.progress(finished, steps * sources.size());
      });
  return facts;
}

// Adds the length of an item; nothing for one whose span is beyond the file.
void add_part(const Item& item, std::size_t file, const FileFacts& facts, Statistics& found,
              std::vector<Part>& parts) {
  try {
    const FrameRange range = frame_range(item.span, facts.frames, facts.fps);
    parts.push_back({file, range});
    found.frames.push_back(static_cast<double>(range.count()));
    if (facts.fps > 0) found.seconds.push_back(static_cast<double>(range.count()) / facts.fps);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::data) throw;
    found.unreadable.push_back({item.key, error.problems().front().what, 1});
  }
}

}  // namespace

Spread spread_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
  return {values.front(), median, values.back()};
}

std::vector<Bin> histogram_of(const std::vector<double>& values, std::size_t bins) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) return {{*least, *most, values.size()}};
  std::vector<Bin> list;
  const double width = (*most - *least) / static_cast<double>(bins);
  for (std::size_t i = 0; i < bins; ++i)
    list.push_back({*least + width * static_cast<double>(i), *least + width * static_cast<double>(i + 1)});
  for (const double value : values)
    ++list[std::min(bins - 1, static_cast<std::size_t>((value - *least) / width))].count;
  return list;
}

std::vector<std::string> Statistics::empty_classes() const {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < classes.size(); ++c)
    if (items_of_class[c] == 0) names.push_back(classes[c]);
  return names;
}

Statistics statistics_of(const Dataset& dataset, const StatisticsOptions& options) {
  Statistics found;
  found.items = dataset.size();
  found.classes = dataset.classes();
  found.items_of_class.resize(found.classes.size());
  SourceIndex index;
  std::vector<std::size_t> files;  // of each item's first source
  std::vector<std::size_t> items_of_file;
  for (std::size_t i = 0; i < found.items; ++i) {
    const Item item = dataset.item(i);
    count_target(item.target, found);
    files.push_back(index.number(item.sources.at(0)));
    items_of_file.resize(index.sources().size());
    ++items_of_file[files.back()];
  }
  const std::vector<Source>& sources = index.sources();
  found.files = sources.size();
  const std::vector<FileFacts> facts = look_at(sources, options);
  for (std::size_t f = 0; f < facts.size(); ++f) {
    if (!facts[f].reason.empty()) {
      found.unreadable.push_back({source_name(sources[f]), facts[f].reason, items_of_file[f]});
      continue;
    }
    ++found.sizes[{facts[f].size.width, facts[f].size.height}];
    // 30000/1001 and 29.97 are the same to everybody.
    ++found.rates[std::round(facts[f].fps * 1000) / 1000];
  }
  std::vector<Part> parts;
  for (std::size_t i = 0; i < found.items; ++i)
    if (const FileFacts& of_file = facts[files[i]]; of_file.reason.empty())
      add_part(dataset.item(i), files[i], of_file, found, parts);
  if (options.pixel_frames > 0 && !parts.empty()) found.channels = channels_of(sources, parts, options);
  return found;
}

}  // namespace kinema::data
