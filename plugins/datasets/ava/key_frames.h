#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "annotations/clip_list.h"
#include "kinema/dataset.h"

// Private to this plugin: its items.
namespace kinema::ava {

// What an item has besides its clip.
struct Moment {
  kinema::KeyFrame frame;
  std::optional<std::vector<LabelledBox>> truth;  // where the clip's boxes are a detector's
};

class KeyFrames final : public Dataset, public HasBoxes {
 public:
  // A moment for each clip of the list.
  KeyFrames(annotations::ClipList clips, std::vector<Moment> moments, std::vector<std::int64_t> class_ids);

  std::size_t size() const override { return clips_.size(); }
  std::vector<std::string> classes() const override { return clips_.classes(); }
  std::vector<std::int64_t> class_ids() const override { return class_ids_; }
  Item item(std::size_t index) const override;

 private:
  annotations::ClipList clips_;
  std::vector<Moment> moments_;
  std::vector<std::int64_t> class_ids_;
};

}  // namespace kinema::ava
