#include "framework/media/lead_in.h"

#include <algorithm>

namespace kinema::media {

double mean_lead_in(const Index& index) {
  double sum = 0;
  std::size_t entry = 0;
  for (std::size_t frame = 0; frame < index.frames.size(); ++frame) {
    while (entry + 1 < index.entries.size() && index.entries[entry + 1].frame <= frame) ++entry;
    const bool earlier = index.entries[entry].open && entry > 0;
    const std::size_t begin = index.from_start_only ? 0 : index.entries[earlier ? entry - 1 : entry].frame;
    sum += static_cast<double>(frame - begin);
  }
  return index.frames.empty() ? 0 : sum / static_cast<double>(index.frames.size());
}

}  // namespace kinema::media
