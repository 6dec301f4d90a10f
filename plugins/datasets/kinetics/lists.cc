#include "lists.h"

#include <algorithm>
#include <cstdio>

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

Listing read_official(const std::vector<Line>& lines, const ListOptions& options, Complaints& complaints) {
  const Columns columns = header_of(lines.front());
  Listing listing;
  if (!columns.complete()) {
    complaints.add(lines.front().number,
                   "not an official list: expected the columns youtube_id, time_start and time_end, got \"" +
                       lines.front().text + "\"");
    return listing;
  }
  const VideoFiles files(options.root);
  for (auto line = lines.begin() + 1; line != lines.end(); ++line) {
    const auto fields = csv_fields(line->text);
    if (!fields || fields->size() != columns.count) {
      complaints.add(line->number, "not a row: expected " + std::to_string(columns.count) +
                                       " columns as in the header, got \"" + line->text + "\"");
      continue;
    }
    const auto field = [&](std::ptrdiff_t column) { return (*fields)[static_cast<std::size_t>(column)]; };
    if (options.split && columns.split >= 0 && field(columns.split) != *options.split) continue;
    const std::string id = field(columns.id);
    const auto start = seconds(field(columns.start)), end = seconds(field(columns.end));
    if (id.empty() || id.find('/') != std::string::npos || !start || !end) {
      complaints.add(line->number,
                     "not a clip: expected an id and two times in seconds, got \"" + line->text + "\"");
      continue;
    }
    const std::string label = columns.label >= 0 ? field(columns.label) : "";
    if (columns.label >= 0 && label.empty()) {
      complaints.add(line->number, "no label: expected a class name, got \"" + line->text + "\"");
      continue;
    }
    const std::string stem = file_id(id, *start, *end);
    Clip clip{.path = files.find(stem).value_or(stem + ".mp4"), .key = stem};
    listing.add(line->number, label.empty() ? std::vector<std::string>{} : std::vector{label},
                std::move(clip));
  }
  return listing;
}

// Path and label of a line; the label is empty where there is none. A comma splits where no white space does,
// and where only a number follows it: "a b.mp4,3".
std::pair<std::string, std::string> path_and_label(const std::string& line) {
  const std::string text = trimmed(line);
  const std::size_t space = text.find_last_of(" \t"), comma = text.rfind(',');
  std::size_t at = space == std::string::npos ? comma : space;
  if (comma != std::string::npos && as_integer(text.substr(comma + 1))) at = comma;
  if (at == std::string::npos) return {text, ""};
  return {trimmed(text.substr(0, at)), trimmed(text.substr(at + 1))};
}

bool usable(const Line& line, const std::string& path, const ListOptions& options, Complaints& complaints) {
  const std::string why = path.empty() ? "no path: expected `path label`, got \"" + line.text + "\""
                                       : refused(path, options.allow_absolute);
  if (!why.empty()) complaints.add(line.number, why, path.empty() ? "" : "allow_absolute = true permits it");
  return why.empty();
}

Listing read_paths(const std::vector<Line>& lines, const ListOptions& options, Complaints& complaints) {
  Listing listing;
  const bool labelled = std::any_of(
      lines.begin(), lines.end(), [](const Line& line) { return !path_and_label(line.text).second.empty(); });
  for (const Line& line : lines) {
    const auto [path, label] = path_and_label(line.text);
    if (!usable(line, path, options, complaints)) continue;
    if (labelled && label.empty())
      complaints.add(line.number, "no label: expected `path label`, got \"" + line.text + "\"");
    else
      listing.add(line.number, label.empty() ? std::vector<std::string>{} : std::vector{label},
                  {.path = path});
  }
  return listing;
}

Listing read_raw_frames(const std::vector<Line>& lines, const ListOptions& options, Complaints& complaints) {
  Listing listing;
  for (const Line& line : lines) {
    const std::vector<std::string> fields = words(line.text);
    const auto frames = fields.size() == 3 ? as_integer(fields[1]) : std::nullopt;
    if (!frames || *frames < 1) {
      complaints.add(line.number,
                     "not a folder of pictures: expected `folder frames label`, got \"" + line.text + "\"");
      continue;
    }
    if (!usable(line, fields[0], options, complaints)) continue;
    Clip clip{.path = fields[0], .pictures = options.pictures, .first_number = options.first_number};
    clip.span = {Span::Unit::frames, 0, static_cast<double>(*frames)};
    listing.add(line.number, {fields[2]}, std::move(clip));
  }
  return listing;
}

bool names_folder_and_frames(const Line& line) {
  const std::vector<std::string> fields = words(line.text);
  return fields.size() == 3 && as_integer(fields[1]) && !has_extension(fields[0], video_extensions());
}

Format detected(const std::vector<Line>& lines) {
  if (header_of(lines.front()).id >= 0) return Format::official;
  return std::all_of(lines.begin(), lines.end(), names_folder_and_frames) ? Format::raw_frames
                                                                          : Format::paths;
}

}  // namespace

std::string file_id(const std::string& youtube_id, std::int64_t start_s, std::int64_t end_s) {
  char times[48];
  std::snprintf(times, sizeof times, "_%06lld_%06lld", static_cast<long long>(start_s),
                static_cast<long long>(end_s));
  return youtube_id + times;
}

Listing read_list(const std::filesystem::path& list, const ListOptions& options, Complaints& complaints) {
  const std::vector<Line> lines = read_lines(list, {"a Kinetics list", {}});
  if (lines.empty()) return {};
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
