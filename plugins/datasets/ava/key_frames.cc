#include "key_frames.h"

#include <utility>

namespace kinema::ava {

KeyFrames::KeyFrames(annotations::ClipList clips, std::vector<Moment> moments,
                     std::vector<std::int64_t> class_ids)
    : clips_(std::move(clips)), moments_(std::move(moments)), class_ids_(std::move(class_ids)) {}

Item KeyFrames::item(std::size_t index) const {
  Item item = clips_.item(index);
  const Moment& moment = moments_.at(index);
  item.key_frame = moment.frame;
  item.target.truth = moment.truth;
  return item;
}

}  // namespace kinema::ava
