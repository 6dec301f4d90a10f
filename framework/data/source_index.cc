#include "framework/data/source_index.h"

#include <fmt/format.h>

#include "framework/data/clip_source.h"

namespace kinema::data {

std::size_t SourceIndex::number(const Source& source) {
  const std::size_t next = sources_.size();
  const auto place = [&] {
    if (source.frames) return own_.try_emplace(source.frames.get(), next).first->second;
    const std::string name = fmt::format("{}\n{}\n{}", source_name(source), source.pattern_down.string(),
                                         source.video.empty() ? source.first_number : 0);
    return named_.try_emplace(name, next).first->second;
  }();
  if (place == next) sources_.push_back(source);
  return place;
}

}  // namespace kinema::data
