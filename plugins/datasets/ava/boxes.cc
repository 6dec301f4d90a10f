#include "boxes.h"

#include <algorithm>
#include <array>

#include "annotations/text_file.h"

namespace kinema::ava {
namespace {

using namespace annotations;

constexpr std::size_t kShownPlaces = 5;
constexpr double kSlack = 0.1;  // detectors reach a little over the edge; pixels reach far

// Programs that write such tables put quotes around fields, sometimes several: none of the values has any.
std::vector<std::string> fields_of(const std::string& line) {
  std::vector<std::string> fields = split(line, line.find('\t') != std::string::npos ? '\t' : ',');
  for (std::string& field : fields) {
    std::erase(field, '"');
    field = trimmed(field);
  }
  return fields;
}

std::optional<std::int64_t> second_of(const std::string& text) {
  const auto number = as_number(text);  // "0902", "3", "3.0"
  if (!number || *number < 0 || *number > 1e9 ||
      *number != static_cast<double>(static_cast<std::int64_t>(*number)))
    return std::nullopt;
  return static_cast<std::int64_t>(*number);
}

bool usable_name(const std::string& video) {
  return !video.empty() && video.find('/') == std::string::npos && video != "..";
}

class Reader {
 public:
  Reader(const std::filesystem::path& file, const BoxRules& rules, Boxes& boxes, Notices& notices)
      : file_(file), rules_(rules), boxes_(boxes), notices_(notices), complaints_(file) {}

  void read() {
    for_each_line(file_, {"a table of boxes", {}}, [&](const Line& line) { take(line); });
    complaints_.report();
  }

 private:
  void take(const Line& line) {
    std::vector<std::string> fields = fields_of(line.text);
    const auto second = fields.size() >= 2 ? second_of(fields[1]) : std::nullopt;
    const bool with_score = rules_.least_score.has_value();
    if (!second || !usable_name(fields[0]) || fields.size() > 8 || fields.size() < (with_score ? 8u : 7u))
      return complaints_.add(line.number,
                             std::string("not a box: expected `video,second,x1,y1,x2,y2,action,") +
                                 (with_score ? "score" : "person") + "`, got \"" + line.text + "\"");
    if (with_score && fields[6] == "-1") fields[6].clear();  // a detector's "no action"
    const KeyFrame frame{fields[0], *second};
    std::optional<LabelledBox> box = box_of(fields, line.number);
    if (!box) return;
    boxes_.name(frame.video);
    if (!wanted(frame, *box, line.number)) return;
    if (box->classes.empty() && !fields[6].empty()) return keep_without_action(frame, *box, line.number);
    if (box->classes.empty() && !with_score) notices_.add("boxes without action", file_, line.number);
    add(frame, std::move(*box), line.number);
  }
  // Nothing after a complaint, and for a box without area.
  std::optional<LabelledBox> box_of(const std::vector<std::string>& fields, std::size_t line) {
    std::array<double, 4> at{};
    for (std::size_t i = 0; i < 4; ++i) {
      const auto value = as_number(fields[i + 2]);
      if (!value || *value < -kSlack || *value > 1 + kSlack) {
        complaints_.add(line, "not a coordinate: expected a fraction of the frame, 0 to 1, got \"" +
                                  fields[i + 2] + "\"");
        return std::nullopt;
      }
      at[i] = std::clamp(*value, 0.0, 1.0);
    }
    LabelledBox box{at[0], at[1], at[2], at[3], {}, 1};
    if (rules_.least_score) {
      const auto score = as_number(fields[7]);
      if (!score) {
        complaints_.add(line, "no score: expected a number in column 8, got \"" + fields[7] + "\"");
        return std::nullopt;
      }
      box.score = *score;
    }
    if (!fields[6].empty() && !add_action(fields[6], box, line)) return std::nullopt;
    if (box.x1 < box.x2 && box.y1 < box.y2) return box;
    notices_.add("boxes without area are left out", file_, line);
    return std::nullopt;
  }
  bool add_action(const std::string& text, LabelledBox& box, std::size_t line) {
    const auto id = as_number(text);
    const auto whole = id ? static_cast<std::int64_t>(std::clamp(*id, -1e9, 1e9)) : 0;
    if (!id || whole < 1 || static_cast<double>(whole) != *id || whole > rules_.actions.largest_id) {
      complaints_.add(line, "unknown action: expected an id of the label map, 1 to " +
                                std::to_string(rules_.actions.largest_id) + ", got \"" + text + "\"");
      return false;
    }
    const auto found = rules_.actions.labels.find(whole);
    if (found != rules_.actions.labels.end()) box.classes.push_back(found->second);
    return true;
  }
  bool wanted(const KeyFrame& frame, const LabelledBox& box, std::size_t line) {
    if (rules_.least_score && box.score < *rules_.least_score) return false;
    if (rules_.seconds && !rules_.seconds->contains(frame.second)) {
      notices_.add("rows of seconds that are not included are left out", file_, line);
      return false;
    }
    return !rules_.excluded.contains({frame.video, frame.second});
  }
  void keep_without_action(const KeyFrame& frame, LabelledBox& box, std::size_t line) {
    notices_.add("actions that the label map lacks are left out, their boxes stay", file_, line);
    find_or_add(frame, box);
  }
  LabelledBox& find_or_add(const KeyFrame& frame, const LabelledBox& box) {
    std::vector<LabelledBox>& list = boxes_.of_video[frame.video][frame.second];
    const auto same = std::find_if(list.begin(), list.end(), [&](const LabelledBox& other) {
      return other.x1 == box.x1 && other.y1 == box.y1 && other.x2 == box.x2 && other.y2 == box.y2;
    });
    if (same != list.end()) return *same;
    list.push_back(box);
    list.back().classes.clear();
    return list.back();
  }
  void add(const KeyFrame& frame, LabelledBox box, std::size_t line) {
    const std::size_t before = boxes_.of_video[frame.video][frame.second].size();
    LabelledBox& known = find_or_add(frame, box);
    const bool is_new = boxes_.of_video[frame.video][frame.second].size() > before;
    if (!is_new) known.score = std::max(known.score, box.score);
    if (box.classes.empty()) {
      if (!is_new) notices_.add("repeated rows count once", file_, line);
      return;
    }
    const auto at = std::lower_bound(known.classes.begin(), known.classes.end(), box.classes[0]);
    if (at != known.classes.end() && *at == box.classes[0])
      notices_.add("repeated rows count once", file_, line);
    else
      known.classes.insert(at, box.classes[0]);
  }

  const std::filesystem::path& file_;
  const BoxRules& rules_;
  Boxes& boxes_;
  Notices& notices_;
  Complaints complaints_;
};

}  // namespace

void Notices::add(const std::string& kind, const std::filesystem::path& file, std::size_t line) {
  Kind& known = kinds_[kind];
  if (++known.count > kShownPlaces) return;
  known.places += (known.places.empty() ? "" : ", ") + file.string() + ":" + std::to_string(line);
}

std::vector<std::string> Notices::texts() const {
  std::vector<std::string> list;
  for (const auto& [text, kind] : kinds_)
    list.push_back(std::to_string(kind.count) + " " + text + ": " + kind.places +
                   (kind.count > kShownPlaces ? ", ..." : ""));
  return list;
}

void Boxes::name(const std::string& video) {
  if (of_video.try_emplace(video).second) videos.push_back(video);
}

void read_boxes(const std::filesystem::path& file, const BoxRules& rules, Boxes& boxes, Notices& notices) {
  Reader(file, rules, boxes, notices).read();
}

Moments read_key_frames(const std::filesystem::path& file) {
  Moments frames;
  Complaints complaints(file);
  for_each_line(file, {"a list of key frames", {}}, [&](const Line& line) {
    const std::vector<std::string> fields = fields_of(line.text);
    const auto second = fields.size() == 2 ? second_of(fields[1]) : std::nullopt;
    if (!second || !usable_name(fields[0]))
      complaints.add(line.number, "not a key frame: expected `video,second`, got \"" + line.text + "\"");
    else
      frames.insert({fields[0], *second});
  });
  complaints.report();
  return frames;
}

std::set<std::int64_t> read_seconds(const std::filesystem::path& file) {
  std::set<std::int64_t> seconds;
  Complaints complaints(file);
  for_each_line(file, {"a list of seconds", {}}, [&](const Line& line) {
    if (const auto second = second_of(trimmed(line.text)))
      seconds.insert(*second);
    else
      complaints.add(line.number, "not a second: expected a whole number, got \"" + line.text + "\"");
  });
  complaints.report();
  return seconds;
}

}  // namespace kinema::ava
