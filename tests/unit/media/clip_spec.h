#pragma once

#include <map>
#include <string>

#include "tests/support/clips.h"

namespace kinema::test {

// 48 frames of a codec.
inline ClipSpec clip(const char* codec, int b_frames, std::map<std::string, std::string> encoder = {},
                     std::map<std::string, std::string> muxer = {}, const char* pixel_format = "") {
  ClipSpec spec;
  spec.frames = 48;
  spec.writer.codec = codec;
  spec.writer.b_frames = b_frames;
  spec.writer.encoder_options = std::move(encoder);
  spec.writer.muxer_options = std::move(muxer);
  spec.writer.pixel_format = pixel_format;
  return spec;
}

}  // namespace kinema::test
