#include "lists.h"

#include <algorithm>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "annotations/csv.h"
#include "annotations/paths.h"

namespace kinema::kinetics {
namespace {

using namespace annotations;

// Where the columns of an official list are; -1: nowhere.
struct Columns {
  std::ptrdiff_t label, id, start, end, split;
  std::size_t count;

  explicit Columns(const std::vector<std::string>& header) : count(header.size()) {
    const auto at = [&](const char* name) {
      const auto found = std::find(header.begin(), header.end(), name);
      return found == header.end() ? std::ptrdiff_t{-1} : found - header.begin();
    };
    label = at("label");
    id = at("youtube_id");
    start = at("time_start");
    end = at("time_end");
    split = at("split");
  }
  bool complete() const { return id >= 0 && start >= 0 && end >= 0; }
};

Columns header_of(const Line& line) {
  std::vector<std::string> names = csv_fields(line.text).value_or(std::vector<std::string>{});
  for (std::string& name : names) name = trimmed(name);
  return Columns(names);
}

std::optional<std::int64_t> seconds(const std::string& text) {
  const auto number = as_number(trimmed(text));
  if (!number || *number < 0 || *number >= 1e6) return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

std::optional<Line> first_of(std::string_view lines) {
  std::optional<Line> first;
  for_each_line(lines, [&](const Line& line) {
    if (!first) first = line;
  });
  return first;
}

Listing read_official(std::string_view lines, const ListOptions& options, Complaints& complaints) {
  const Line header = *first_of(lines);
  const Columns columns = header_of(header);
  Listing listing;
  if (!columns.complete()) {
    complaints.add(header.number,
                   "not an official list: expected the columns youtube_id, time_start and time_end, got \"" +
                       header.text + "\"");
    return listing;
  }
  const VideoFiles files(options.root);
  for_each_line(lines, [&](const Line& line) {
    if (line.number == header.number) return;
    const auto fields = csv_fields(line.text);
    if (!fields || fields->size() != columns.count) {
      complaints.add(line.number, "not a row: expected " + std::to_string(columns.count) +
                                      " columns as in the header, got \"" + line.text + "\"");
      return;
    }
    const auto field = [&](std::ptrdiff_t column) { return (*fields)[static_cast<std::size_t>(column)]; };
    if (options.split && columns.split >= 0 && field(columns.split) != *options.split) return;
    const std::string id = field(columns.id);
    const auto start = seconds(field(columns.start)), end = seconds(field(columns.end));
    if (id.empty() || id.find('/') != std::string::npos || !start || !end) {
      complaints.add(line.number,
                     "not a clip: expected an id and two times in seconds, got \"" + line.text + "\"");
      return;
    }
    const std::string label = columns.label >= 0 ? field(columns.label) : "";
    if (columns.label >= 0 && label.empty()) {
      complaints.add(line.number, "no label: expected a class name, got \"" + line.text + "\"");
      return;
    }
    const std::string stem = file_id(id, *start, *end);
    Clip clip{.path = files.find(stem).value_or(stem + ".mp4"), .key = stem};
    listing.add(line.number, label.empty() ? std::vector<std::string>{} : std::vector{label}, clip);
  });
  return listing;
}

// Path and label of a line; the label is empty where there is none. A comma splits where no white space does,
// and where only a number follows it: "a b.mp4,3".
std::pair<std::string_view, std::string_view> path_and_label(std::string_view line) {
  const std::string_view text = trim(line);
  const std::size_t space = text.find_last_of(" \t"), comma = text.rfind(',');
  std::size_t at = space == std::string_view::npos ? comma : space;
  if (comma != std::string_view::npos && as_integer(text.substr(comma + 1))) at = comma;
  if (at == std::string_view::npos) return {text, {}};
  return {trim(text.substr(0, at)), trim(text.substr(at + 1))};
}

bool usable(const Line& line, std::string_view path, const ListOptions& options, Complaints& complaints) {
  const std::string why = path.empty() ? "no path: expected `path label`, got \"" + line.text + "\""
                                       : refused(path, options.allow_absolute);
  if (!why.empty()) complaints.add(line.number, why, path.empty() ? "" : "allow_absolute = true permits it");
  return why.empty();
}

Listing read_paths(std::string_view lines, const ListOptions& options, Complaints& complaints) {
  Listing listing;
  bool labelled = false;
  for_each_line(lines,
                [&](const Line& line) { labelled = labelled || !path_and_label(line.text).second.empty(); });
  Clip clip;
  for_each_line(lines, [&](const Line& line) {
    const auto [path, label] = path_and_label(line.text);
    if (!usable(line, path, options, complaints)) return;
    if (labelled && label.empty())
      return complaints.add(line.number, "no label: expected `path label`, got \"" + line.text + "\"");
    clip.path = path;
    listing.add(line.number, std::span(&label, label.empty() ? 0 : 1), clip);
  });
  return listing;
}

Listing read_raw_frames(std::string_view lines, const ListOptions& options, Complaints& complaints) {
  Listing listing;
  std::vector<std::string_view> fields;
  Clip clip{.pictures = options.pictures, .first_number = options.first_number};
  for_each_line(lines, [&](const Line& line) {
    words(line.text, fields);
    const auto frames = fields.size() == 3 ? as_integer(fields[1]) : std::nullopt;
    if (!frames || *frames < 1)
      return complaints.add(
          line.number, "not a folder of pictures: expected `folder frames label`, got \"" + line.text + "\"");
    if (!usable(line, fields[0], options, complaints)) return;
    clip.path = fields[0];
    clip.span = {Span::Unit::frames, 0, static_cast<double>(*frames)};
    listing.add(line.number, std::span(&fields[2], 1), clip);
  });
  return listing;
}

Format detected(std::string_view lines) {
  if (header_of(*first_of(lines)).id >= 0) return Format::official;
  bool all = true;  // lines name a folder and a number of frames
  std::vector<std::string_view> fields;
  for_each_line(lines, [&](const Line& line) {
    if (!all) return;
    words(line.text, fields);
    all = fields.size() == 3 && as_integer(fields[1]) && !has_extension(fields[0], video_extensions());
  });
  return all ? Format::raw_frames : Format::paths;
}

}  // namespace

std::string file_id(const std::string& youtube_id, std::int64_t start_s, std::int64_t end_s) {
  char times[48];
  std::snprintf(times, sizeof times, "_%06lld_%06lld", static_cast<long long>(start_s),
                static_cast<long long>(end_s));
  return youtube_id + times;
}

Listing read_list(const std::filesystem::path& list, const ListOptions& options, Complaints& complaints) {
  const std::string lines = read_text(list, {"a Kinetics list", {}});
  if (!first_of(lines)) return {};
  switch (options.format == Format::detect ? detected(lines) : options.format) {
    case Format::official:
      return read_official(lines, options, complaints);
    case Format::raw_frames:
      return read_raw_frames(lines, options, complaints);
    default:
      return read_paths(lines, options, complaints);
  }
}

}  // namespace kinema::kinetics
