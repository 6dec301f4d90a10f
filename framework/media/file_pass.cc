#include "framework/media/file_pass.h"

#include <fmt/format.h>

#include <utility>

#include "framework/media/decoder.h"
#include "framework/media/message_count.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

constexpr double kUnknownFps = 25;

double fps_of(const AVStream& stream) {
  for (const AVRational rate : {stream.avg_frame_rate, stream.r_frame_rate}) {
    if (rate.num > 0 && rate.den > 0 && av_q2d(rate) < 1000) return av_q2d(rate);
  }
  return kUnknownFps;
}

Orientation stream_orientation(const AVStream& stream) {
  std::size_t bytes = 0;
  const std::uint8_t* matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, &bytes);
  if (matrix == nullptr || bytes < 9 * sizeof(std::int32_t)) return {};
  return orientation_of(reinterpret_cast<const std::int32_t*>(matrix));
}

VideoInfo info_of(const Container& container, const AVFrame& frame) {
  const AVStream& stream = *container.stream();
  VideoInfo info;
  info.stored_size = {frame.width, frame.height};
  info.orientation = stream_orientation(stream);
  info.rotation_degrees = rotation_degrees(info.orientation);
  info.size = displayed_size(info.stored_size, info.orientation);
  info.fps = fps_of(stream);
  info.codec = avcodec_get_name(stream.codecpar->codec_id);
  info.container = container.format()->iformat->name;
  const char* pixel_format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(frame.format));
  info.pixel_format = pixel_format == nullptr ? "unknown" : pixel_format;
  const AVRational aspect = av_guess_sample_aspect_ratio(container.format(), container.stream(), nullptr);
  if (aspect.num > 0 && aspect.den > 0) {
    info.sample_aspect_width = aspect.num;
    info.sample_aspect_height = aspect.den;
  }
  info.video_streams = 0;
  for (unsigned i = 0; i < container.format()->nb_streams; ++i) {
    info.video_streams += container.format()->streams[i]->codecpar->codec_type == AVMEDIA_TYPE_VIDEO;
  }
  info.stream = stream.index;
  info.interlaced = frame.interlaced_frame != 0;
  info.header_frames = stream.nb_frames;
  return info;
}

[[noreturn]] void fail(const Container& container, std::string what) {
  throw Error(ErrorKind::data, container.path(), std::move(what));
}

void check_pixels(const Container& container, const AVFrame& frame, const Limits& limits) {
  if (std::int64_t{frame.width} * frame.height <= limits.max_pixels) return;
  fail(container, fmt::format("frame too large: expected at most max_pixels = {}, got {} x {}",
                              limits.max_pixels, frame.width, frame.height));
}

}  // namespace

Pass run_pass(Container& container, const Limits& limits, bool decode_all) {
  Pass pass;
  MessageCount messages;
  Bitstream bitstream(*container.stream()->codecpar);
  Decoder decoder(*container.stream(), container.path(), limits);
  PacketPtr packet(av_packet_alloc());
  const auto receive_all = [&] {
    while (const AVFrame* frame = decoder.receive()) {
      if (!decode_all && !pass.frames.empty()) return;
      if (pass.frames.empty()) {
        check_pixels(container, *frame, limits);
        pass.info = info_of(container, *frame);
      }
      pass.resized_frames += Size{frame->width, frame->height} != pass.info.stored_size;
      pass.frames.push_back({static_cast<std::uint32_t>(decoder.ordinal()), decoder.occurrence(),
                             frame->best_effort_timestamp, frame->key_frame != 0,
                             (frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame->decode_error_flags != 0});
    }
  };
  while (container.read(packet.get())) {
    const std::int64_t ordinal = static_cast<std::int64_t>(pass.packets.size());
    if (ordinal >= limits.max_packets) {
      fail(container,
           fmt::format("too many packets: expected at most max_packets = {}, got more", limits.max_packets));
    }
    pass.packets.push_back({.position = packet->pos, .size = packet->size});
    pass.scanned.push_back(
        {bitstream.inspect(*packet), packet->pts, packet->dts, (packet->flags & AV_PKT_FLAG_KEY) != 0});
    if (decode_all || pass.frames.empty()) {
      decoder.send(packet.get(), ordinal);
      receive_all();
    }
    av_packet_unref(packet.get());
    container.check_deadline();
  }
  if (container.failure() != 0) {
    av_log(container.format(), AV_LOG_ERROR, "read stopped: %s\n", error_text(container.failure()).c_str());
  }
  container.check_deadline();
  if (decode_all || pass.frames.empty()) {
    decoder.send(nullptr, -1);
    receive_all();
  }
  pass.errors = messages.errors();
  pass.first_message = messages.first();
  if (pass.packets.empty())
    fail(container, "no frames: expected a video, got a video stream without packets");
  if (pass.frames.empty()) {
    fail(container, fmt::format("no decodable frame: expected at least one, got none from {} packets{}",
                                pass.packets.size(),
                                pass.first_message.empty() ? "" : fmt::format(" ({})", pass.first_message)));
  }
  return pass;
}

}  // namespace kinema::media
