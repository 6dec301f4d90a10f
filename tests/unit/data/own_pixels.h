#pragma once

#include <algorithm>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "kinema/dataset.h"
#include "kinema/error.h"
#include "tests/support/formula.h"

namespace kinema::test {

// The frames of the reference files: floor(256 u) with the flat index over T, H, W, C.
class FormulaFrames final : public FrameSource {
 public:
  FormulaFrames(Size size, std::int64_t count, double fps = 25) : facts_{size, count, fps} {}
  Facts facts() const override { return facts_; }
  void read(std::int64_t index, std::span<std::uint8_t> out) const override {
    const std::uint64_t hash = formula_hash("frames");
    const std::uint64_t first = static_cast<std::uint64_t>(index) * out.size();
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = static_cast<std::uint8_t>(256 * formula_unit(hash, first + i));
  }

 private:
  Facts facts_;
};

// Every byte of frame k of video v is 10 v + k.
class CountingFrames final : public FrameSource {
 public:
  CountingFrames(int video, Size size, std::int64_t count) : video_(video), facts_{size, count, 25} {}
  Facts facts() const override { return facts_; }
  void read(std::int64_t index, std::span<std::uint8_t> out) const override {
    std::fill(out.begin(), out.end(), static_cast<std::uint8_t>(10 * video_ + index));
  }

 private:
  int video_;
  Facts facts_;
};

// Frames that cannot be read; with a count of 0 they cannot even be opened.
class BrokenFrames final : public FrameSource {
 public:
  explicit BrokenFrames(std::int64_t count = 10, ErrorKind kind = ErrorKind::data)
      : count_(count), kind_(kind) {}
  Facts facts() const override { return {{32, 24}, count_, 25}; }
  void read(std::int64_t, std::span<std::uint8_t>) const override {
    throw Error(kind_, "broken", "cannot be read");
  }

 private:
  std::int64_t count_;
  ErrorKind kind_;
};

class ListedItems final : public Dataset {
 public:
  std::vector<Item> items;
  std::vector<std::string> names;

  void add(std::shared_ptr<const FrameSource> frames, std::int64_t label, std::string key = {}) {
    Item item;
    item.sources.resize(1);
    item.sources[0].frames = std::move(frames);
    item.target.label = label;
    item.key = key.empty() ? "item" + std::to_string(items.size()) : std::move(key);
    items.push_back(std::move(item));
  }
  void add_video(const std::string& path, std::int64_t label) {
    add(nullptr, label, path);
    items.back().sources[0].video = path;
  }
  std::size_t size() const override { return items.size(); }
  std::vector<std::string> classes() const override { return names; }
  Item item(std::size_t index) const override { return items.at(index); }
};

// Key frames with boxes, of two classes.
class ListedBoxes final : public Dataset, public HasBoxes {
 public:
  std::vector<Item> items;
  void add(std::vector<LabelledBox> boxes, Size size = {32, 24}) {
    Item item;
    item.sources.resize(1);
    item.sources[0].frames =
        std::make_shared<CountingFrames>(static_cast<int>(items.size()), size, std::int64_t{10});
    item.target.boxes = std::move(boxes);
    item.span = {Span::Unit::centre, 5, 0};
    item.key = "item" + std::to_string(items.size());
    items.push_back(std::move(item));
  }
  std::size_t size() const override { return items.size(); }
  std::vector<std::string> classes() const override { return {"sit", "stand"}; }
  std::vector<std::int64_t> class_ids() const override { return {3, 7}; }
  Item item(std::size_t index) const override { return items.at(index); }
};

// `count` items of 10 frames each, labels 0, 1, 2, 0, 1, ...
inline std::shared_ptr<ListedItems> counting_items(int count, Size size = {32, 24}) {
  auto set = std::make_shared<ListedItems>();
  set->names = {"run", "walk", "wave"};
  for (int i = 0; i < count; ++i) set->add(std::make_shared<CountingFrames>(i, size, 10), i % 3);
  return set;
}

}  // namespace kinema::test
