#include "framework/detection/box_table.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>

#include "framework/detection/text_file.h"

namespace kinema::detection {
namespace {

template <class T>
std::optional<T> number(const std::string& text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// What is wrong with a row; empty: nothing, and `key` and `box` are filled.
std::string parse_row(const std::vector<std::string>& fields, BoxScore score, FrameKey& key, ScoredBox& box) {
  if (fields.size() < (score == BoxScore::last_field ? 8u : 7u))
    return fmt::format("too few fields: expected video,second,x1,y1,x2,y2,action{}, got {} fields",
                       score == BoxScore::last_field ? ",score" : "", fields.size());
  const auto second = number<std::int64_t>(fields[1]);
  if (!second || *second < 0)
    return fmt::format("not a second: expected a whole number, got \"{}\"", fields[1]);
  key = {fields[0], *second};
  double* const sides[] = {&box.x1, &box.y1, &box.x2, &box.y2};
  for (std::size_t i = 0; i < 4; ++i) {
    const auto side = number<double>(fields[2 + i]);
    if (!side || !std::isfinite(*side))
      return fmt::format("not a box: expected four numbers, got \"{}\"", fields[2 + i]);
    *sides[i] = *side;
  }
  if (!fields[6].empty()) {
    const auto action = number<std::int64_t>(fields[6]);
    if (!action) return fmt::format("not an action: expected its id, got \"{}\"", fields[6]);
    box.action = *action;
  }
  if (score == BoxScore::none) return {};
  const auto value = number<double>(fields[7]);
  if (!value || !std::isfinite(*value))
    return fmt::format("not a score: expected a number, got \"{}\"", fields[7]);
  box.score = *value;
  return {};
}

}  // namespace

BoxTable read_boxes(const std::filesystem::path& file, const std::set<std::int64_t>& known, BoxScore score) {
  BoxTable table;
  std::vector<Problem> problems;
  for (const TextLine& line : read_text_lines(file)) {
    FrameKey key;
    ScoredBox box;
    if (std::string what = parse_row(fields_of(line.text), score, key, box); !what.empty()) {
      problems.push_back(line_problem(line, std::move(what)));
      continue;
    }
    std::vector<ScoredBox>& frame = table[key];  // a frame without boxes of known classes is one too
    if (box.action != 0 && (known.empty() || known.contains(box.action))) frame.push_back(box);
  }
  report_lines(file, std::move(problems));
  return table;
}

std::string detections_csv(const BoxTable& detections) {
  std::string text;
  for (const auto& [key, boxes] : detections)
    for (const ScoredBox& box : boxes)
      fmt::format_to(std::back_inserter(text), "{},{:04},{},{},{},{},{},{}\n", key.first, key.second, box.x1,
                     box.y1, box.x2, box.y2, box.action, box.score);
  return text;
}

std::set<FrameKey> read_frames(const std::filesystem::path& file) {
  std::set<FrameKey> frames;
  std::vector<Problem> problems;
  for (const TextLine& line : read_text_lines(file)) {
    const std::vector<std::string> fields = fields_of(line.text);
    const auto second = fields.size() < 2 ? std::nullopt : number<std::int64_t>(fields[1]);
    if (second)
      frames.emplace(fields[0], *second);
    else
      problems.push_back(
          line_problem(line, fmt::format("not a frame: expected video,second, got \"{}\"", line.text)));
  }
  report_lines(file, std::move(problems));
  return frames;
}

}  // namespace kinema::detection
