#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kinema/dataset.h"
#include "label_map.h"

// Private to this plugin: the tables of boxes.
namespace kinema::ava {

using Moments = std::set<std::pair<std::string, std::int64_t>>;  // videos and seconds of them

// What was noticed and did not stop the reading, in the words of a warning, with the first lines.
class Notices {
 public:
  void add(const std::string& kind, const std::filesystem::path& file, std::size_t line);
  std::vector<std::string> texts() const;  // "22 repeated rows count once: val.tsv:2, val.tsv:4, ..."

 private:
  struct Kind {
    std::size_t count = 0;
    std::string places;
  };
  std::map<std::string, Kind> kinds_;
};

// The boxes of key frames, and the videos in the order in which the tables first name them.
struct Boxes {
  std::vector<std::string> videos;
  std::map<std::string, std::map<std::int64_t, std::vector<LabelledBox>>> of_video;
  void name(const std::string& video);  // adds it when it is new
};

struct BoxRules {
  const LabelMap& actions;
  Moments excluded;
  std::optional<std::set<std::int64_t>> seconds;  // the only ones that count
  std::optional<double> least_score;              // of predicted boxes: column 8 is the detector's score
};

// `video,second,x1,y1,x2,y2,action,person` without header, comma or tab separated, quotes around fields in
// any number. Rows with equal boxes are one box with several actions. An action that the label map does not
// hold, though it holds larger ids, is left out and its box stays (the 60 of 80 evaluated actions). An empty
// action gives a box without any. Coordinates are fractions of the frame; a little outside is clipped. Throws
// Error(data) with file:line of every bad row.
void read_boxes(const std::filesystem::path& file, const BoxRules& rules, Boxes& boxes, Notices& notices);

// `video,second` rows. Throws Error(data) likewise.
Moments read_key_frames(const std::filesystem::path& file);
// A second a line.
std::set<std::int64_t> read_seconds(const std::filesystem::path& file);

}  // namespace kinema::ava
