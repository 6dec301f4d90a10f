#include <algorithm>
#include <cmath>
#include <fstream>
#include <optional>

#include "annotations/csv.h"
#include "annotations/text_file.h"
#include "frame_list.h"

namespace kinema::charades {
namespace {

using namespace annotations;

struct Columns {
  std::ptrdiff_t id = -1, actions = -1, length = -1;
  std::size_t count = 0;
};

Columns columns_of(const std::string& header) {
  const auto names = csv_fields(header);
  Columns columns;
  if (!names) return columns;
  const auto at = [&](const char* name) {
    const auto found = std::find(names->begin(), names->end(), name);
    return found == names->end() ? std::ptrdiff_t{-1} : found - names->begin();
  };
  return {at("id"), at("actions"), at("length"), names->size()};
}

// "c092 11.90 21.20" in frames.
std::optional<Run> run_of(const std::string& text, std::int64_t classes, double fps) {
  const std::vector<std::string> fields = words(text);
  if (fields.size() != 3 || !fields[0].starts_with('c')) return std::nullopt;
  const auto label = as_integer(fields[0].substr(1));
  const auto begin = as_number(fields[1]), end = as_number(fields[2]);
  if (!label || *label < 0 || *label >= classes || !begin || !end || *begin < 0 || *end > 1e6)
    return std::nullopt;
  return Run{static_cast<std::int64_t>(std::floor(*begin * fps)),
             static_cast<std::int64_t>(std::ceil(*end * fps)),
             {*label}};
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, std::int64_t classes, double fps)
      : complaints_(file), classes_(classes), fps_(fps) {}

  void read(const Line& line) {
    if (columns_.count == 0) {
      columns_ = columns_of(line.text);
      return;
    }
    const auto fields = csv_fields(line.text);
    const auto field = [&](std::ptrdiff_t column) {
      return trimmed((*fields)[static_cast<std::size_t>(column)]);
    };
    if (!fields || fields->size() != columns_.count || field(columns_.id).empty() ||
        field(columns_.id).find('/') != std::string::npos || !as_number(field(columns_.length)))
      return complaints_.add(line.number, "not a video: expected a row of " + std::to_string(columns_.count) +
                                              " columns as in the header, got \"" + line.text + "\"");
    Video video;
    video.id = field(columns_.id);
    video.line = line.number;
    video.count = static_cast<std::int64_t>(std::ceil(*as_number(field(columns_.length)) * fps_));
    for (const std::string& text : split(field(columns_.actions), ';')) {
      if (trimmed(text).empty()) continue;
      if (auto run = run_of(text, classes_, fps_))
        video.runs.push_back(std::move(*run));
      else
        complaints_.add(line.number, "not an action: expected `c000 begin end` with a class below " +
                                         std::to_string(classes_) + ", got \"" + text + "\"");
    }
    videos_.push_back(std::move(video));
  }
  std::vector<Video> finish() {
    complaints_.report();
    return std::move(videos_);
  }

 private:
  Complaints complaints_;
  std::int64_t classes_;
  double fps_;
  Columns columns_;
  std::vector<Video> videos_;
};

}  // namespace

bool is_official(const std::filesystem::path& file) {
  std::ifstream in(file);  // what cannot be opened will be said by who reads it
  std::string header;
  std::getline(in, header);
  if (header.ends_with('\r')) header.pop_back();
  const Columns columns = columns_of(header);
  return columns.id >= 0 && columns.actions >= 0 && columns.length >= 0;
}

std::vector<Video> read_official(const std::filesystem::path& file, std::int64_t classes, double fps) {
  Reader reader(file, classes, fps);
  for_each_line(file, {"a Charades list", {}}, [&](const Line& line) { reader.read(line); });
  return reader.finish();
}

}  // namespace kinema::charades
