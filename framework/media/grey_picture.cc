#include "framework/media/grey_picture.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>

#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

// FFmpeg's JPEG encoder takes no grey pictures: its colour planes get the value of no colour.
FramePtr frame_of(const std::uint8_t* grey, Size size, PictureFormat format) {
  FramePtr frame(av_frame_alloc());
  frame->width = size.width;
  frame->height = size.height;
  frame->format = format == PictureFormat::png ? AV_PIX_FMT_GRAY8 : AV_PIX_FMT_YUVJ420P;
  if (av_frame_get_buffer(frame.get(), 0) < 0) return nullptr;
  for (int y = 0; y < size.height; ++y)
    std::memcpy(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0],
                grey + static_cast<std::ptrdiff_t>(y) * size.width, static_cast<std::size_t>(size.width));
  const int rows = format == PictureFormat::png ? 0 : (size.height + 1) / 2;
  for (int y = 0; y < rows; ++y)
    for (const int plane : {1, 2})
      std::memset(frame->data[plane] + static_cast<std::ptrdiff_t>(y) * frame->linesize[plane], 128,
                  static_cast<std::size_t>((size.width + 1) / 2));
  return frame;
}

PacketPtr encoded(AVFrame* frame, PictureFormat format) {
  const AVCodec* encoder =
      avcodec_find_encoder(format == PictureFormat::png ? AV_CODEC_ID_PNG : AV_CODEC_ID_MJPEG);
  CodecContextPtr codec(avcodec_alloc_context3(encoder));
  codec->width = frame->width;
  codec->height = frame->height;
  codec->time_base = {1, 1};
  codec->pix_fmt = static_cast<AVPixelFormat>(frame->format);
  codec->thread_count = 1;
  codec->flags |= AV_CODEC_FLAG_BITEXACT;
  if (format == PictureFormat::jpeg) {
    constexpr int kQuantiser = 2;
    codec->color_range = AVCOL_RANGE_JPEG;
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = frame->quality = FF_QP2LAMBDA * kQuantiser;
  }
  PacketPtr packet(av_packet_alloc());
  const bool done =
      avcodec_open2(codec.get(), encoder, nullptr) >= 0 && avcodec_send_frame(codec.get(), frame) >= 0 &&
      avcodec_send_frame(codec.get(), nullptr) >= 0 && avcodec_receive_packet(codec.get(), packet.get()) >= 0;
  return done ? std::move(packet) : nullptr;
}

}  // namespace

void write_grey(const std::string& path, const std::uint8_t* grey, Size size, PictureFormat format) {
  const MessageCount messages;
  const FramePtr frame = frame_of(grey, size, format);
  const PacketPtr packet = frame == nullptr ? nullptr : encoded(frame.get(), format);
  if (packet == nullptr)
    throw Error(ErrorKind::run, path,
                fmt::format("cannot encode: expected a picture of 1 to 65500 pixels a side, got {} x {}",
                            size.width, size.height));
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(packet->data), packet->size);
  file.close();
  if (!file)
    throw Error(
        ErrorKind::run, path,
        fmt::format("cannot write: expected a file that takes the bytes, got \"{}\"", std::strerror(errno)));
}

}  // namespace kinema::media
