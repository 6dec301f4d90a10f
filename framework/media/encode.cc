#include "framework/media/encode.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <utility>

#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

bool quality_is_crf(const AVCodec& codec) {
  const std::string name = codec.name;
  return name == "libx264" || name == "libx265" || name == "libvpx-vp9" || name == "libsvtav1" ||
         name == "libaom-av1" || name == "libvpx";
}

AVPixelFormat preferred_format(const AVCodec& codec) {
  if (codec.pix_fmts == nullptr) return AV_PIX_FMT_YUV420P;
  for (const AVPixelFormat* format = codec.pix_fmts; *format != AV_PIX_FMT_NONE; ++format) {
    if (*format == AV_PIX_FMT_YUV420P || *format == AV_PIX_FMT_RGB24) return *format;
  }
  return codec.pix_fmts[0];
}

constexpr std::size_t kScalerOverrun = 64;  // bytes that swscale may write behind a row

SwsContextPtr from_rgb(Size input, Size size, AVPixelFormat format, int matrix, bool full_range) {
  const int kernel = input == size ? SWS_BILINEAR : SWS_AREA;
  SwsContextPtr sws(sws_getContext(input.width, input.height, AV_PIX_FMT_RGB24, size.width, size.height,
                                   format, kernel | SWS_ACCURATE_RND | SWS_FULL_CHR_H_INP, nullptr, nullptr,
                                   nullptr));
  if (sws != nullptr) {
    constexpr int kUnchanged = 0, kOne = 1 << 16;
    sws_setColorspaceDetails(sws.get(), sws_getCoefficients(SWS_CS_DEFAULT), 1, sws_getCoefficients(matrix),
                             full_range, kUnchanged, kOne, kOne);
  }
  return sws;
}

void convert_rgb(SwsContext* sws, const std::uint8_t* rgb, Size size, AVFrame* frame) {
  const std::uint8_t* const planes[4] = {rgb};
  const int strides[4] = {3 * size.width};
  sws_scale(sws, planes, strides, 0, size.height, frame->data, frame->linesize);
}

FramePtr make_frame(Size size, AVPixelFormat format) {
  FramePtr frame(av_frame_alloc());
  frame->width = size.width;
  frame->height = size.height;
  frame->format = format;
  if (av_frame_get_buffer(frame.get(), 0) < 0) return nullptr;
  return frame;
}

}  // namespace

bool has_encoder(const std::string& name) { return avcodec_find_encoder_by_name(name.c_str()) != nullptr; }

std::vector<std::uint8_t> scaled_picture(const std::uint8_t* rgb, Size from, Size to) {
  const std::size_t bytes =
      std::size_t{3} * static_cast<std::size_t>(to.width) * static_cast<std::size_t>(to.height);
  if (from == to) return {rgb, rgb + bytes};
  const SwsContextPtr sws = from_rgb(from, to, AV_PIX_FMT_RGB24, SWS_CS_ITU601, true);
  std::vector<std::uint8_t> scaled(bytes + kScalerOverrun);
  const std::uint8_t* const planes[4] = {rgb};
  const int strides[4] = {3 * from.width}, to_strides[4] = {3 * to.width};
  std::uint8_t* const to_planes[4] = {scaled.data()};
  if (sws != nullptr) sws_scale(sws.get(), planes, strides, 0, from.height, to_planes, to_strides);
  scaled.resize(bytes);
  return scaled;
}

struct VideoWriter::State {
  std::string path;
  Size size;
  WriterOptions options;
  AVRational rate{};
  AVFormatContext* format = nullptr;
  AVStream* stream = nullptr;
  CodecContextPtr codec;
  SwsContextPtr sws;
  FramePtr frame;
  PacketPtr packet{av_packet_alloc()};
  std::int64_t next_tick = 0;
  bool finished = false;

  ~State() {
    if (format == nullptr) return;
    if (!finished && format->pb != nullptr) std::remove(path.c_str());
    avio_closep(&format->pb);
    avformat_free_context(format);
  }

  [[noreturn]] void fail(const std::string& what, int code, const MessageCount& messages) const {
    throw Error(ErrorKind::run, path,
                fmt::format("{}, got \"{}\"{}", what, error_text(code),
                            messages.first().empty() ? "" : fmt::format(" ({})", messages.first())));
  }
  void open_codec();
  void open_file();
  void add_display_matrix();
  void encode(const AVFrame* input);
};

void VideoWriter::State::open_codec() {
  MessageCount messages;
  if (options.codec.empty()) options.codec = has_encoder("libx264") ? "libx264" : "mpeg4";
  const AVCodec* encoder = avcodec_find_encoder_by_name(options.codec.c_str());
  if (encoder == nullptr) {
    throw Error(ErrorKind::run, path,
                fmt::format("no encoder: expected one of FFmpeg's, got {}", options.codec));
  }
  codec.reset(avcodec_alloc_context3(encoder));
  codec->width = size.width;
  codec->height = size.height;
  codec->time_base = av_inv_q(rate);
  codec->framerate = rate;
  codec->gop_size = options.gop;
  codec->max_b_frames = options.b_frames;
  codec->thread_count = 1;
  codec->pix_fmt = options.pixel_format.empty() ? preferred_format(*encoder)
                                                : av_get_pix_fmt(options.pixel_format.c_str());
  codec->sample_aspect_ratio = {options.sample_aspect_width, options.sample_aspect_height};
  if (options.full_range) codec->color_range = AVCOL_RANGE_JPEG;
  codec->colorspace = static_cast<AVColorSpace>(options.colour_matrix);
  codec->flags |= AV_CODEC_FLAG_BITEXACT;
  if ((format->oformat->flags & AVFMT_GLOBALHEADER) != 0) codec->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  AVDictionary* dictionary = nullptr;
  if (options.quality >= 0 && quality_is_crf(*encoder))
    av_dict_set_int(&dictionary, "crf", options.quality, 0);
  if (options.quality >= 0 && !quality_is_crf(*encoder)) {
    codec->flags |= AV_CODEC_FLAG_QSCALE;
    codec->global_quality = FF_QP2LAMBDA * options.quality;
  }
  for (const auto& [key, value] : options.encoder_options)
    av_dict_set(&dictionary, key.c_str(), value.c_str(), 0);
  const int code = avcodec_open2(codec.get(), encoder, &dictionary);
  av_dict_free(&dictionary);
  if (code < 0)
    fail(fmt::format("cannot encode: expected encoder {} to start", encoder->name), code, messages);
  const bool matrix_known = options.colour_matrix == AVCOL_SPC_BT709;
  if (options.input == Size{}) options.input = size;
  sws = from_rgb(options.input, size, codec->pix_fmt, matrix_known ? SWS_CS_ITU709 : SWS_CS_ITU601,
                 options.full_range);
  frame = make_frame(size, codec->pix_fmt);
  if (sws == nullptr || frame == nullptr)
    fail("cannot encode: expected a conversion to the encoder's pixels", AVERROR(ENOMEM), messages);
}

// The inverse of orientation_of(): clockwise by 90 degrees moves (p, q) to (-q, p).
void VideoWriter::State::add_display_matrix() {
  if (options.rotation_degrees == 0 && !options.mirror) return;
  constexpr std::int32_t kOne = 1 << 16;
  const double angle = options.rotation_degrees * std::acos(-1.0) / 180;
  const auto cosine = static_cast<std::int32_t>(std::lround(std::cos(angle)));
  const auto sine = static_cast<std::int32_t>(std::lround(std::sin(angle)));
  const std::int32_t sign = options.mirror ? -1 : 1;  // of displayed x
  const std::int32_t matrix[9] = {
      sign * cosine * kOne, sine * kOne, 0, sign * -sine * kOne, cosine * kOne, 0, 0, 0, 1 << 30};
  std::uint8_t* data = av_stream_new_side_data(stream, AV_PKT_DATA_DISPLAYMATRIX, sizeof matrix);
  if (data != nullptr) std::copy_n(reinterpret_cast<const std::uint8_t*>(matrix), sizeof matrix, data);
}

void VideoWriter::State::open_file() {
  MessageCount messages;
  stream = avformat_new_stream(format, nullptr);
  avcodec_parameters_from_context(stream->codecpar, codec.get());
  stream->time_base = codec->time_base;
  stream->avg_frame_rate = rate;
  stream->sample_aspect_ratio = codec->sample_aspect_ratio;
  add_display_matrix();
  int code = avio_open(&format->pb, ("file:" + path).c_str(), AVIO_FLAG_WRITE);
  if (code < 0) fail("cannot write: expected a file that takes the bytes", code, messages);
  AVDictionary* dictionary = nullptr;
  for (const auto& [key, value] : options.muxer_options)
    av_dict_set(&dictionary, key.c_str(), value.c_str(), 0);
  code = avformat_write_header(format, &dictionary);
  av_dict_free(&dictionary);
  if (code < 0) fail("cannot write: expected the container to take the stream", code, messages);
}

VideoWriter::VideoWriter(std::string path, Size size, double fps, WriterOptions options)
    : state_(std::make_unique<State>()) {
  MessageCount messages;
  State& state = *state_;
  state.path = std::move(path);
  state.size = size;
  state.options = std::move(options);
  constexpr int kLargestRatePart = 100'000;
  state.rate = av_d2q(fps, kLargestRatePart);
  const std::string& container = state.options.container;
  const int code = avformat_alloc_output_context2(
      &state.format, nullptr, container.empty() ? nullptr : container.c_str(), state.path.c_str());
  if (code < 0) state.fail("cannot write: expected a file name that tells the container", code, messages);
  state.format->flags |= AVFMT_FLAG_BITEXACT;
  state.open_codec();
  state.open_file();
}
VideoWriter::~VideoWriter() = default;
VideoWriter::VideoWriter(VideoWriter&&) noexcept = default;

void VideoWriter::write(const std::uint8_t* rgb) { write_at(rgb, state_->next_tick); }

void VideoWriter::write_at(const std::uint8_t* rgb, std::int64_t tick) {
  State& state = *state_;
  av_frame_make_writable(state.frame.get());
  convert_rgb(state.sws.get(), rgb, state.options.input, state.frame.get());
  state.frame->pts = tick;
  state.frame->quality = state.codec->global_quality;
  state.next_tick = tick + 1;
  state.encode(state.frame.get());
}

void VideoWriter::State::encode(const AVFrame* input) {
  MessageCount messages;
  int code = avcodec_send_frame(codec.get(), input);
  if (code < 0) fail("cannot encode: expected the encoder to take a frame", code, messages);
  while ((code = avcodec_receive_packet(codec.get(), packet.get())) >= 0) {
    if (packet->duration == 0) packet->duration = 1;
    av_packet_rescale_ts(packet.get(), codec->time_base, stream->time_base);
    packet->stream_index = stream->index;
    code = av_interleaved_write_frame(format, packet.get());
    if (code < 0) fail("cannot write: expected a file that takes the bytes", code, messages);
  }
}

void VideoWriter::finish() {
  MessageCount messages;
  State& state = *state_;
  state.encode(nullptr);
  int code = av_write_trailer(state.format);
  if (code >= 0) code = avio_closep(&state.format->pb);
  if (code < 0) state.fail("cannot write: expected a file that takes the bytes", code, messages);
  state.finished = true;
}

void write_png(const std::string& path, const std::uint8_t* rgb, Size size) {
  MessageCount messages;
  const AVCodec* encoder = avcodec_find_encoder(AV_CODEC_ID_PNG);
  CodecContextPtr codec(avcodec_alloc_context3(encoder));
  codec->width = size.width;
  codec->height = size.height;
  codec->time_base = {1, 1};
  codec->pix_fmt = AV_PIX_FMT_RGB24;
  codec->thread_count = 1;
  FramePtr frame = make_frame(size, AV_PIX_FMT_RGB24);
  PacketPtr packet(av_packet_alloc());
  if (frame != nullptr) {
    const std::uint8_t* const planes[4] = {rgb};
    const int strides[4] = {3 * size.width};
    av_image_copy(frame->data, frame->linesize, const_cast<const std::uint8_t**>(planes), strides,
                  AV_PIX_FMT_RGB24, size.width, size.height);
  }
  const bool encoded = frame != nullptr && avcodec_open2(codec.get(), encoder, nullptr) >= 0 &&
                       avcodec_send_frame(codec.get(), frame.get()) >= 0 &&
                       avcodec_send_frame(codec.get(), nullptr) >= 0 &&
                       avcodec_receive_packet(codec.get(), packet.get()) >= 0;
  if (!encoded)
    throw Error(ErrorKind::run, path,
                fmt::format("cannot encode: expected a picture of at least one pixel, got {} x {}",
                            size.width, size.height));
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wb"), std::fclose);
  const auto bytes = static_cast<std::size_t>(packet->size);
  const bool written = file != nullptr && std::fwrite(packet->data, 1, bytes, file.get()) == bytes &&
                       std::fflush(file.get()) == 0;
  if (!written)
    throw Error(
        ErrorKind::run, path,
        fmt::format("cannot write: expected a file that takes the bytes, got \"{}\"", std::strerror(errno)));
}

}  // namespace kinema::media
