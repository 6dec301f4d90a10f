#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "framework/detection/frame_map.h"
#include "kinema/context.h"
#include "kinema/metric.h"
#include "kinema/options.h"

namespace kinema::eval {

struct FramePrecisionOptions {
  detection::MapRule rule = detection::MapRule::official;
  double iou = 0.5;
  std::optional<std::filesystem::path> label_map;  // of the classes that count; none: all
};
Options<FramePrecisionOptions> frame_precision_options();

std::shared_ptr<Metric> make_frame_precision(const FramePrecisionOptions& options, Context& context);

// "frame_mAP", or "frame_mAP_slowfast" by that rule: see detection/frame_map.h. NaN when no class occurs.
class FramePrecision final : public Metric, public MeasuresBoxes {
 public:
  // `labels`: the classes that count.
  FramePrecision(const FramePrecisionOptions& options, std::vector<std::int64_t> labels)
      : options_(options), labels_(std::move(labels)) {}
  void reset() override;
  void add(const ScoredBoxes& boxes) override;
  void add(const ScoredSamples& samples) override;  // throws Error(usage): clips without boxes
  std::vector<double> state() const override;       // a row of kColumns numbers for each box and class
  void merge(std::span<const double> state) override;
  std::vector<NamedValue> result() const override;
  std::vector<std::string> names() const override;

  // Of each class that counts, NaN for one that does not occur.
  std::vector<double> of_classes() const;

 private:
  detection::FrameMap measured() const;

  FramePrecisionOptions options_;
  std::vector<std::int64_t> labels_;
  detection::BoxTable truth_, found_;  // a frame is an item
};

}  // namespace kinema::eval
