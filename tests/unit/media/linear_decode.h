#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "framework/media/convert.h"
#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"

// The reference for frame numbers: FFmpeg's best video stream, decoded from its first packet to its last with
// nothing left out. Shares only the conversion with the code under test.
namespace kinema::test {

// Calls use(number, frame) for each frame; returns their number.
inline std::int64_t linear_decode(const std::string& path,
                                  const std::function<void(std::int64_t, const AVFrame&)>& use) {
  const media::MessageCount messages;
  AVFormatContext* format = nullptr;
  if (avformat_open_input(&format, path.c_str(), nullptr, nullptr) < 0) return -1;
  avformat_find_stream_info(format, nullptr);
  const int best = av_find_best_stream(format, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  std::int64_t count = -1;
  const AVCodec* decoder =
      best < 0 ? nullptr : avcodec_find_decoder(format->streams[best]->codecpar->codec_id);
  if (decoder != nullptr) {
    count = 0;
    media::CodecContextPtr codec(avcodec_alloc_context3(decoder));
    avcodec_parameters_to_context(codec.get(), format->streams[best]->codecpar);
    codec->thread_count = 1;
    codec->pkt_timebase = format->streams[best]->time_base;
    avcodec_open2(codec.get(), decoder, nullptr);
    media::PacketPtr packet(av_packet_alloc());
    media::FramePtr frame(av_frame_alloc());
    bool more = true;
    while (more) {
      more = av_read_frame(format, packet.get()) >= 0;
      if (more && packet->stream_index != best) {
        av_packet_unref(packet.get());
        continue;
      }
      avcodec_send_packet(codec.get(), more ? packet.get() : nullptr);
      av_packet_unref(packet.get());
      while (avcodec_receive_frame(codec.get(), frame.get()) >= 0) use(count++, *frame);
    }
  }
  avformat_close_input(&format);
  return count;
}

}  // namespace kinema::test
