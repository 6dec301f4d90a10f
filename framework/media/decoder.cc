#include "framework/media/decoder.h"

#include <fmt/format.h>

#include "kinema/error.h"

namespace kinema::media {

Decoder::Decoder(const AVStream& stream, std::string path, const Limits& limits)
    : parameters_(avcodec_parameters_alloc()),
      time_base_(stream.time_base),
      path_(std::move(path)),
      max_pixels_(limits.max_pixels),
      frame_(av_frame_alloc()) {
  avcodec_parameters_copy(parameters_.get(), stream.codecpar);
  restart();
}

void Decoder::restart() {
  const AVCodec* codec = avcodec_find_decoder(parameters_->codec_id);
  codec_.reset(avcodec_alloc_context3(codec));
  avcodec_parameters_to_context(codec_.get(), parameters_.get());
  codec_->thread_count = 1;
  codec_->pkt_timebase = time_base_;
  codec_->max_pixels = max_pixels_;
  const int code = avcodec_open2(codec_.get(), codec, nullptr);
  if (code < 0) {
    throw Error(ErrorKind::data, path_,
                fmt::format("decoder {} refuses the stream: expected parameters that it knows, got \"{}\"",
                            codec->name, error_text(code)));
  }
  ordinal_ = -1;
}

void Decoder::flush() {
  // A damaged VP8 picture leaves traces that a key frame alone does not remove.
  if (parameters_->codec_id == AV_CODEC_ID_VP8) return restart();
  avcodec_flush_buffers(codec_.get());
  ordinal_ = -1;
}

void Decoder::send(const AVPacket* packet, std::int64_t ordinal) {
  codec_->reordered_opaque = ordinal;
  // A decoder that reports damage has taken the packet; receive() was drained before, so it is never full.
  avcodec_send_packet(codec_.get(), packet);
}

const AVFrame* Decoder::receive() {
  constexpr int kMaxFailures = 1000;  // a decoder that fails without taking anything must not loop
  for (int failures = 0; failures < kMaxFailures; ++failures) {
    const int code = avcodec_receive_frame(codec_.get(), frame_.get());
    if (code == AVERROR(EAGAIN) || code == AVERROR_EOF) return nullptr;
    if (code < 0) {
      av_log(codec_.get(), AV_LOG_ERROR, "%s\n", error_text(code).c_str());
      continue;
    }
    const std::int64_t ordinal = frame_->reordered_opaque;
    occurrence_ = ordinal == ordinal_ ? occurrence_ + 1 : 0;
    ordinal_ = ordinal;
    return frame_.get();
  }
  return nullptr;
}

}  // namespace kinema::media
