#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "framework/media/index.h"
#include "framework/media/limits.h"
#include "framework/media/video_part.h"

namespace kinema::media {

// What is wrong with a file that can be used all the same.
//
// | name                  | meaning |
// |-----------------------|---------|
// | decoder_errors        | messages of the container or the decoder |
// | corrupt_frames        | frames that the decoder itself marked as damaged |
// | truncated             | the file ends before what its header promises |
// | count_over_reported   | the header claims more frames than there are |
// | count_under_reported  | or fewer |
// | no_times              | most frames have no time: it is counted by the rate |
// | times_out_of_order    | a frame that is not later than the one before it |
// | variable_rate         | a distance between frames that is far from the usual one |
// | unknown_rate          | no frame rate in the file: 25 is taken |
// | size_changes          | frames of another size than the first, which are scaled to it |
// | not_decoded           | the end was not reached within Limits::seconds_per_check |
struct Fault {
  std::string name, text;
};

// What is known of one file.
struct Examination {
  bool usable = false;
  std::string reason;    // why it is not: "what is wrong: expected X, got Y"
  bool picture = false;  // a JPEG or PNG file, not a video
  std::int64_t bytes = 0;
  VideoInfo info;        // of a usable one; frame_count as decoded
  bool decoded = false;  // every frame was decoded; else the packets alone were looked at
  std::vector<Fault> faults;

  void add(std::string name, std::string text) { faults.push_back({std::move(name), std::move(text)}); }
};

// How far to look: as far as reading clips of the file does, or at every frame.
enum class Depth { index, everything };

// Looks at a file. It is usable when Video::open (or, for a picture, Picture::open) takes it within the same
// limits. Leaves nothing in the index cache. What is wrong with the file is in the result; throws nothing
// else than memory's end.
Examination examine(const std::string& path, Depth depth, const Limits& limits = {});
Examination examine(const VideoPart& part, Depth depth, const Limits& limits = {});

}  // namespace kinema::media
