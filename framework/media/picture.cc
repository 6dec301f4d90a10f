#include "framework/media/picture.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "framework/media/convert.h"
#include "framework/media/ffmpeg.h"
#include "framework/media/message_count.h"
#include "framework/media/orientation.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

[[noreturn]] void fail(const std::string& path, std::string what) {
  throw Error(ErrorKind::data, path, std::move(what));
}

std::vector<char> bytes_of(const std::string& path) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{256} << 20;
  std::error_code failure;
  if (!std::filesystem::is_regular_file(path, failure))
    fail(path, "no such file: expected a picture, got nothing");
  const std::uintmax_t size = std::filesystem::file_size(path, failure);
  if (failure || size == 0) fail(path, "empty file: expected a picture, got 0 bytes");
  if (size > kMostBytes)
    fail(path, fmt::format("too large: expected at most {} bytes, got {}", kMostBytes, size));
  std::ifstream in(path, std::ios::binary);
  std::vector<char> bytes(size);
  if (!in.read(bytes.data(), static_cast<std::streamsize>(size)))
    fail(path, fmt::format("cannot read: expected {} bytes, got \"{}\"", size, std::strerror(errno)));
  return bytes;
}

AVCodecID codec_of(const std::vector<char>& bytes) {
  const auto starts = [&](const char* magic, std::size_t length) {
    return bytes.size() >= length && std::memcmp(bytes.data(), magic, length) == 0;
  };
  if (starts("\xFF\xD8\xFF", 3)) return AV_CODEC_ID_MJPEG;
  if (starts("\x89PNG", 4)) return AV_CODEC_ID_PNG;
  return AV_CODEC_ID_NONE;
}

FramePtr decode(const std::vector<char>& bytes, AVCodecID id, const std::string& path, const Limits& limits,
                const MessageCount& messages) {
  if (id == AV_CODEC_ID_NONE) fail(path, "not a picture: expected a JPEG or PNG file, got other bytes");
  const AVCodec* decoder = avcodec_find_decoder(id);
  CodecContextPtr codec(avcodec_alloc_context3(decoder));
  codec->thread_count = 1;
  codec->max_pixels = limits.max_pixels;
  PacketPtr packet(av_packet_alloc());
  FramePtr frame(av_frame_alloc());
  if (avcodec_open2(codec.get(), decoder, nullptr) < 0 ||
      av_new_packet(packet.get(), static_cast<int>(bytes.size())) < 0)
    fail(path, "cannot decode: expected memory for the picture, got none");
  std::memcpy(packet->data, bytes.data(), bytes.size());
  avcodec_send_packet(codec.get(), packet.get());
  avcodec_send_packet(codec.get(), nullptr);
  const int code = avcodec_receive_frame(codec.get(), frame.get());
  if (code < 0 || frame->width < 1 || frame->height < 1)
    fail(path,
         fmt::format("no decodable picture: expected one within max_pixels = {}, got \"{}\"",
                     limits.max_pixels, messages.first().empty() ? error_text(code) : messages.first()));
  return frame;
}

Orientation orientation_in(const AVFrame& frame) {
  const AVFrameSideData* matrix = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX);
  return matrix == nullptr ? Orientation{}
                           : orientation_of(reinterpret_cast<const std::int32_t*>(matrix->data));
}

}  // namespace

struct Picture::State {
  std::string path;
  AVCodecID codec = AV_CODEC_ID_NONE;
  FramePtr frame;
  Orientation orientation;
  Size size;
  ClipReport report;
  Converter converter;
};

Picture::Picture(std::unique_ptr<State> state) : state_(std::move(state)) {}
Picture::Picture(Picture&&) noexcept = default;
Picture::~Picture() = default;

Picture Picture::open(const std::string& path, const Limits& limits) {
  MessageCount messages;
  auto state = std::make_unique<State>();
  state->path = path;
  const std::vector<char> bytes = bytes_of(path);
  state->codec = codec_of(bytes);
  state->frame = decode(bytes, state->codec, path, limits, messages);
  state->orientation = orientation_in(*state->frame);
  state->size = displayed_size({state->frame->width, state->frame->height}, state->orientation);
  state->report.errors = messages.errors();
  state->report.warnings = messages.warnings();
  state->report.corrupt_frames = (state->frame->flags & AV_FRAME_FLAG_CORRUPT) != 0 ? 1 : 0;
  state->report.decoded_frames = 1;
  state->report.first_message = messages.first();
  return Picture(std::move(state));
}

Size Picture::size() const { return state_->size; }
std::string Picture::format() const { return state_->codec == AV_CODEC_ID_PNG ? "png" : "jpeg"; }
const ClipReport& Picture::report() const { return state_->report; }

void Picture::read(const Geometry& geometry, std::uint8_t* out) {
  const MessageCount messages;  // swscale talks too
  try {
    state_->converter.convert(*state_->frame, state_->orientation, state_->size, geometry, out);
  } catch (const Error& error) {
    fail(state_->path, error.problems().front().what);
  }
}

}  // namespace kinema::media
