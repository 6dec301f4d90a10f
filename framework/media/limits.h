#pragma once

#include <cstddef>
#include <cstdint>

namespace kinema::media {

// What one file may cost before it is refused; every excess is an Error(data) that names the limit.
struct Limits {
  std::int64_t max_pixels = 64 * 1024 * 1024;  // stored width x height of one frame
  unsigned max_streams = 64;
  std::int64_t probe_bytes = 5'000'000;  // about so much is read to find out what the streams are
  std::int64_t max_packets = 10'000'000;
  double seconds_per_open = 120;   // opening and, once a file, indexing
  double seconds_per_read = 60;    // one clip
  double seconds_per_check = 600;  // decoding a whole file in search of faults
  // Never trust a packet scan: decode the whole file once to number its frames.
  bool index_by_decoding = false;
  // Leave out non-reference frames that were not asked for (bit-exact for those that were).
  bool skip_unwanted = true;
};

}  // namespace kinema::media
