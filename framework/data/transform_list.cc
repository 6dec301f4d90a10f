#include "framework/data/transform_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "framework/data/transforms.h"
#include "kinema/error.h"

namespace kinema::data {
namespace {

template <class T, class Member, class Value>
std::shared_ptr<const Transform> with(Member T::*member, Value value) {
  auto transform = std::make_shared<T>();
  transform.get()->*member = std::move(value);
  return transform;
}

std::shared_ptr<const Transform> normalise(const config::ClipOptions& clip) {
  auto transform = std::make_shared<Normalise>();
  transform->mean = clip.mean;
  transform->std = clip.std;
  return transform;
}

// The smallest picture that the resize step of `clip` can make has this short side.
std::int64_t smallest_side(const config::ClipOptions& clip) {
  if (!clip.resize.empty()) return *std::min_element(clip.resize.begin(), clip.resize.end());
  if (!clip.short_side.empty()) return clip.short_side.front();
  return (clip.crop * 8 + 6) / 7;
}

void check_crop(const config::ClipOptions& clip) {
  if (clip.crop <= smallest_side(clip)) return;
  throw Error(ErrorKind::usage, "clip.crop",
              fmt::format("the crop is larger than the resized picture: expected at most {}, got {}",
                          smallest_side(clip), clip.crop),
              "raise clip.short_side or clip.resize, or lower clip.crop");
}

std::shared_ptr<const Transform> resize_step(const config::ClipOptions& clip, bool training) {
  if (!clip.resize.empty()) return with(&Resize::size, clip.resize);
  std::vector<std::int64_t> sides = clip.short_side;
  if (sides.empty() || !training) sides = {smallest_side(clip)};
  return with(&ShortSide::size, std::move(sides));
}

std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    const auto c = static_cast<unsigned char>(name[i]);
    const bool capital = std::isupper(c) != 0;
    const bool after_small = i > 0 && std::islower(static_cast<unsigned char>(name[i - 1])) != 0;
    if (!std::isalnum(c) || (capital && after_small)) words.emplace_back();
    if (std::isalnum(c)) words.back() += static_cast<char>(std::tolower(c));
  }
  return words;
}

bool looks_directional(const std::string& name) {
  static const std::set<std::string> telling = {"left",      "right",    "leftwards",        "rightwards",
                                                "clockwise", "leftward", "counterclockwise", "anticlockwise",
                                                "rightward", "lefthand", "righthand"};
  const std::vector<std::string> words = words_of(name);
  return std::any_of(words.begin(), words.end(),
                     [](const std::string& word) { return telling.contains(word); });
}

}  // namespace

TransformList default_transforms(const config::ClipOptions& clip, bool training) {
  check_crop(clip);
  TransformList list = {resize_step(clip, training)};
  if (training) {
    list.push_back(with(&RandomCrop::size, clip.crop));
    if (clip.flip) list.push_back(std::make_shared<Flip>());
  } else if (clip.spatial_crops == 1) {
    list.push_back(with(&CenterCrop::size, clip.crop));
  } else {
    list.push_back(with(&UniformCrop::size, clip.crop));
  }
  list.push_back(normalise(clip));
  return list;
}

TransformList build_transforms(const config::ClipOptions& clip, bool training,
                               const std::optional<std::vector<Component<Transform>>>& listed,
                               const MakeTransform& make) {
  if (!listed) return default_transforms(clip, training);
  TransformList list;
  bool normalised = false;
  for (const Component<Transform>& component : *listed) {
    list.push_back(make(component));
    normalised = normalised || component.type == "normalise";
  }
  if (!normalised) list.push_back(normalise(clip));
  return list;
}

bool mirrors(const TransformList& transforms) {
  return std::any_of(transforms.begin(), transforms.end(), [](const auto& step) { return step->mirrors(); });
}

std::string directional_warning(const TransformList& transforms, const std::vector<std::string>& classes,
                                const std::vector<std::int64_t>& mirrored) {
  constexpr std::size_t kShown = 4;
  std::vector<std::string> telling;
  for (std::size_t c = 0; mirrors(transforms) && c < classes.size(); ++c) {
    const bool exchanged = c < mirrored.size() && mirrored[c] != static_cast<std::int64_t>(c);
    if (!exchanged && looks_directional(classes[c])) telling.push_back(classes[c]);
  }
  if (telling.empty()) return {};
  const std::size_t count = telling.size();
  telling.resize(std::min(count, kShown));
  return fmt::format(
      "clips are mirrored, but {} of {} class names look directional (\"{}\"{}): say in "
      "clip.train.flip_labels "
      "which class each becomes in a mirror, or set clip.train.flip = false, unless left and right are the "
      "same "
      "to you",
      count, classes.size(), fmt::join(telling, "\", \""), count > kShown ? ", ..." : "");
}

}  // namespace kinema::data
