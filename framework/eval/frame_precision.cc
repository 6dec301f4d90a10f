#include "framework/eval/frame_precision.h"

#include <algorithm>
#include <numeric>

#include "framework/detection/label_map.h"
#include "kinema/error.h"
#include "kinema/suggest.h"

namespace kinema::eval {
namespace {

constexpr std::size_t kColumns = 8;  // is truth, item, x1, y1, x2, y2, class, score

void add_rows(const detection::BoxTable& table, double is_truth, std::vector<double>& state) {
  for (const auto& [frame, boxes] : table)
    for (const detection::ScoredBox& box : boxes)
      state.insert(state.end(), {is_truth, static_cast<double>(frame.second), box.x1, box.y1, box.x2, box.y2,
                                 static_cast<double>(box.action), box.score});
}

}  // namespace

Options<FramePrecisionOptions> frame_precision_options() {
  using O = FramePrecisionOptions;
  using detection::MapRule;
  return Options<O>()
      .add_enum(
          "rule", &O::rule,
          "official: the 50 best boxes of a frame, frames without truth do not count; slowfast: all, in "
          "the order of the boxes",
          {{"official", MapRule::official}, {"slowfast", MapRule::slowfast}})
      .add("iou", &O::iou, "overlap from which on a box is found", between(0, 1))
      .add("label_map", &O::label_map,
           ".pbtxt with the classes that count, by name: the 60 of AVA's 80; none: all");
}

std::shared_ptr<Metric> make_frame_precision(const FramePrecisionOptions& options, Context& context) {
  std::vector<std::int64_t> labels(static_cast<std::size_t>(context.num_classes()));
  std::iota(labels.begin(), labels.end(), 0);
  if (!options.label_map) return std::make_shared<FramePrecision>(options, labels);
  labels.clear();
  const std::vector<std::string>& classes = context.classes();
  std::vector<Problem> problems;
  for (const auto& [id, name] : detection::read_label_map(*options.label_map)) {
    const auto at = std::find(classes.begin(), classes.end(), name);
    if (at == classes.end())
      problems.push_back({options.label_map->string(),
                          "unknown class: expected one of the data's, got \"" + name + "\"",
                          did_you_mean(name, classes)});
    else
      labels.push_back(at - classes.begin());
  }
  if (!problems.empty()) throw Error(ErrorKind::data, std::move(problems));
  return std::make_shared<FramePrecision>(options, labels);
}

void FramePrecision::reset() {
  truth_.clear();
  found_.clear();
}

void FramePrecision::add(const ScoredBoxes& boxes) {
  const detection::FrameKey frame{"", static_cast<std::int64_t>(boxes.item)};
  for (const LabelledBox& box : boxes.truth)
    for (const std::int64_t label : box.classes)
      if (std::find(labels_.begin(), labels_.end(), label) != labels_.end())
        truth_[frame].push_back({box.x1, box.y1, box.x2, box.y2, label, 1});
  for (std::size_t b = 0; b < boxes.boxes.size(); ++b) {
    const LabelledBox& box = boxes.boxes[b];
    for (const std::int64_t label : labels_)
      found_[frame].push_back(
          {box.x1, box.y1, box.x2, box.y2, label,
           boxes.scores[b * static_cast<std::size_t>(boxes.classes) + static_cast<std::size_t>(label)]});
  }
}

void FramePrecision::add(const ScoredSamples&) {
  throw Error(ErrorKind::usage, "metric frame_map",
              "clips without boxes: expected a data set of boxes, got one of clips");
}

std::vector<double> FramePrecision::state() const {
  std::vector<double> state;
  add_rows(truth_, 1, state);
  add_rows(found_, 0, state);
  return state;
}

void FramePrecision::merge(std::span<const double> state) {
  for (std::size_t at = 0; at + kColumns <= state.size(); at += kColumns) {
    const auto row = state.subspan(at, kColumns);
    detection::BoxTable& table = row[0] == 1 ? truth_ : found_;
    table[{"", static_cast<std::int64_t>(row[1])}].push_back(
        {row[2], row[3], row[4], row[5], static_cast<std::int64_t>(row[6]), row[7]});
  }
}

detection::FrameMap FramePrecision::measured() const {
  return detection::frame_map(truth_, found_, labels_,
                              {.rule = options_.rule, .iou = options_.iou, .excluded = {}});
}

std::vector<NamedValue> FramePrecision::result() const { return {{names().front(), measured().mean}}; }

std::vector<std::string> FramePrecision::names() const {
  return {options_.rule == detection::MapRule::official ? "frame_mAP" : "frame_mAP_slowfast"};
}

std::vector<double> FramePrecision::of_classes() const {
  std::vector<double> all;
  for (const auto& [label, precision] : measured().average_precision) all.push_back(precision);
  return all;
}

}  // namespace kinema::eval
