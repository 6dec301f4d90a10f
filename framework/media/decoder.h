#pragma once

// Private to this folder.
#include <cstdint>
#include <string>

#include "framework/media/ffmpeg.h"
#include "framework/media/limits.h"

namespace kinema::media {

// One codec context, one thread. Every frame carries the ordinal of the packet that it was decoded from.
class Decoder {
 public:
  // Throws Error(data) naming `path`.
  Decoder(const AVStream& stream, std::string path, const Limits& limits);

  // As new: what the decoder learned about the stream is forgotten too.
  void restart();
  // Ready for another key frame.
  void flush();
  // Takes a packet, or the end of the stream (nullptr). Damage is not an error here: it is counted in
  // messages.
  void send(const AVPacket* packet, std::int64_t ordinal);
  // The next frame in display order, valid until the next call; nullptr when another packet is needed or,
  // after the end, when no frame is left.
  const AVFrame* receive();
  // Ordinal and occurrence of the last received frame.
  std::int64_t ordinal() const { return ordinal_; }
  std::uint32_t occurrence() const { return occurrence_; }

 private:
  CodecParametersPtr parameters_;  // own copy: the container may be reopened
  AVRational time_base_;
  std::string path_;
  std::int64_t max_pixels_;
  CodecContextPtr codec_;
  FramePtr frame_;
  std::int64_t ordinal_ = -1;
  std::uint32_t occurrence_ = 0;
};

}  // namespace kinema::media
