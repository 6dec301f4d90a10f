#include "framework/media/container.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "framework/media/message_count.h"
#include "framework/media/time_limit.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

// Containers that hold their own data. Never hls, dash, concat, sdp, image2 and other lists of names.
constexpr const char* kFormats =
    "mov,matroska,webm,avi,mpeg,mpegts,mpegvideo,flv,asf,gif,apng,h264,hevc,m4v,h263,vc1,obu,ivf,ogg,dv,mxf,"
    "nut,"
    "yuv4mpegpipe";
constexpr const char* kCodecs =
    "h264,hevc,libdav1d,libaom-av1,av1,vp8,vp9,vp6,vp6f,vp6a,mpeg4,msmpeg4v1,msmpeg4v2,msmpeg4,mpeg1video,"
    "mpeg2video,mpegvideo,h263,h263p,h263i,flv,wmv1,wmv2,wmv3,vc1,mjpeg,theora,gif,png,apng,ffv1,huffyuv,"
    "ffvhuff,"
    "rawvideo,v210,prores,dnxhd,dvvideo,jpeg2000,libopenjpeg,svq1,svq3,cinepak,msvideo1,qtrle,rle,utvideo,"
    "magicyuv,"
    "wrapped_avframe";

[[noreturn]] void fail(const std::string& path, std::string what, std::string hint = {}) {
  throw Error(ErrorKind::data, path, std::move(what), std::move(hint));
}

int refuse_to_open(AVFormatContext*, AVIOContext**, const char*, int, AVDictionary**) {
  return AVERROR(EPERM);
}

FileStamp stamp_from(const struct stat& status, const std::string& path) {
  if (S_ISDIR(status.st_mode)) fail(path, "not a file: expected a video, got a folder");
  if (!S_ISREG(status.st_mode))
    fail(path, "not a regular file: expected a video, got a device, pipe or socket");
  if (status.st_size == 0) fail(path, "empty file: expected a video, got 0 bytes");
  return {status.st_size,
          std::int64_t{status.st_mtim.tv_sec} * 1'000'000'000 + std::int64_t{status.st_mtim.tv_nsec}};
}

[[noreturn]] void fail_to_stat(const std::string& path, int code) {
  if (code == ENOENT || code == ENOTDIR) fail(path, "no such file: expected a video, got nothing");
  fail(path, fmt::format("cannot open: expected a readable video, got \"{}\"", std::strerror(code)));
}

[[noreturn]] void fail_for_streams(const std::string& path, const Limits& limits) {
  fail(path,
       fmt::format("too many streams: expected at most max_streams = {}, got more", limits.max_streams));
}

std::string because(const MessageCount& messages) {
  return messages.first().empty() ? "" : fmt::format(" ({})", messages.first());
}

}  // namespace

struct Container::Io {
  int file = -1;
  std::int64_t begin = 0;  // of the part in the file; positions start there
  std::int64_t position = 0;
  std::int64_t bytes = 0;
  TimeLimit limit;
  const char* limit_name = "";
  double limit_s = 0;

  ~Io() {
    if (file >= 0) ::close(file);
  }
  static int interrupt(void* self) { return static_cast<Io*>(self)->limit.over(); }
  static int read(void* self, std::uint8_t* buffer, int size) {
    Io& io = *static_cast<Io*>(self);
    if (io.limit.over()) return AVERROR_EXIT;
    const std::int64_t left = std::min<std::int64_t>(size, io.bytes - io.position);
    if (left <= 0) return AVERROR_EOF;
    ssize_t got;
    do {
      got = ::pread(io.file, buffer, static_cast<std::size_t>(left), io.begin + io.position);
    } while (got < 0 && errno == EINTR);
    if (got < 0) return AVERROR(errno);
    if (got == 0) return AVERROR_EOF;
    io.position += got;
    return static_cast<int>(got);
  }
  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    Io& io = *static_cast<Io*>(self);
    switch (whence & ~AVSEEK_FORCE) {
      case AVSEEK_SIZE:
        return io.bytes;
      case SEEK_CUR:
        offset += io.position;
        break;
      case SEEK_END:
        offset += io.bytes;
        break;
      default:
        break;
    }
    if (offset < 0) return AVERROR(EINVAL);
    return io.position = offset;
  }
};

FileStamp stamp_of(const VideoPart& part) {
  struct stat status {};
  if (::stat(part.path.c_str(), &status) != 0) fail_to_stat(part.shown(), errno);
  return stamp_from(status, part.shown());
}

std::string key_of(const VideoPart& part) {
  return part.whole_file() ? part.path : fmt::format("{}\n{}+{}", part.path, part.offset, part.bytes);
}

Container::Container(VideoPart part, const Limits& limits, StreamHint hint)
    : part_(std::move(part)), limits_(limits), hint_(std::move(hint)), io_(std::make_unique<Io>()) {
  stamp_of(part_);  // before open(), which would wait for the other end of a pipe
  io_->file = ::open(part_.path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  if (io_->file < 0 || ::fstat(io_->file, &status) != 0) fail_to_stat(path(), errno);
  stamp_ = stamp_from(status, path());
  const std::int64_t room = stamp_.bytes - part_.offset;
  if (part_.offset < 0 || part_.bytes < 0 || room <= 0 || part_.bytes > room)
    fail(path(), fmt::format("beyond the file: expected a part of {} bytes, got {} bytes from {} on",
                             stamp_.bytes, part_.bytes, part_.offset));
  io_->begin = part_.offset;
  io_->bytes = part_.bytes > 0 ? part_.bytes : room;
  set_deadline(limits_.seconds_per_open, "seconds_per_open");
  open();
}

Container::Container(Container&& other) noexcept
    : part_(std::move(other.part_)),
      limits_(other.limits_),
      hint_(std::move(other.hint_)),
      stamp_(other.stamp_),
      io_(std::move(other.io_)),
      format_(std::exchange(other.format_, nullptr)),
      stream_(std::exchange(other.stream_, nullptr)),
      failure_(other.failure_) {}

Container::~Container() { close(); }

void Container::close() {
  if (format_ == nullptr) return;
  AVIOContext* io = format_->pb;
  avformat_close_input(&format_);
  if (io != nullptr) av_freep(&io->buffer);
  avio_context_free(&io);
  stream_ = nullptr;
}

void Container::reopen() {
  close();
  failure_ = 0;
  open();
}

void Container::open() {
  MessageCount messages;
  constexpr int kBuffer = 64 * 1024;
  io_->position = 0;
  AVFormatContext* format = avformat_alloc_context();
  AVIOContext* io = avio_alloc_context(static_cast<std::uint8_t*>(av_malloc(kBuffer)), kBuffer, 0, io_.get(),
                                       Io::read, nullptr, Io::seek);
  format->pb = io;
  format->flags |= AVFMT_FLAG_CUSTOM_IO;
  format->io_open = refuse_to_open;
  format->interrupt_callback = {Io::interrupt, io_.get()};
  format->probesize = limits_.probe_bytes;
  // One more than allowed: demuxers that leave out what is too much must not hide it.
  format->max_streams = static_cast<int>(limits_.max_streams) + 1;
  AVDictionary* options = nullptr;
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  av_dict_set(&options, "format_whitelist", kFormats, 0);
  av_dict_set(&options, "codec_whitelist", kCodecs, 0);
  const int code = avformat_open_input(&format, part_.path.c_str(), nullptr, &options);
  av_dict_free(&options);
  if (code < 0) {
    av_freep(&io->buffer);
    avio_context_free(&io);
    check_deadline();
    if (messages.first().find("max_streams") != std::string::npos) fail_for_streams(path(), limits_);
    if (code == AVERROR(EINVAL) && messages.first().find("whitelist") != std::string::npos) {
      fail(path(), "container not allowed: expected a video file, got a playlist or a list of other files",
           "name the videos themselves");
    }
    fail(path(), fmt::format("not a video: expected a known container{}, got \"{}\"{}", probed(),
                             error_text(code), because(messages)));
  }
  format_ = format;
  try {
    check_streams();
    if (!take_hint()) choose_stream();
  } catch (...) {
    close();
    throw;
  }
}

// Only where packets come straight from the container's tables.
bool Container::take_hint() {
  if (hint_.parameters == nullptr || hint_.stream >= static_cast<int>(format_->nb_streams)) return false;
  const char* name = format_->iformat->name;
  if (!av_match_name("mov", name) && !av_match_name("matroska", name)) return false;
  stream_ = format_->streams[hint_.stream];
  if (stream_->codecpar->codec_id != hint_.parameters->codec_id) return false;
  avcodec_parameters_copy(stream_->codecpar, hint_.parameters.get());
  discard_other_streams();
  return true;
}

StreamHint Container::hint() const {
  std::shared_ptr<AVCodecParameters> parameters(avcodec_parameters_alloc(), FreeCodecParameters());
  avcodec_parameters_copy(parameters.get(), stream_->codecpar);
  return {stream_->index, std::move(parameters)};
}

void Container::reopen_afresh() {
  hint_ = {};
  reopen();
}

void Container::discard_other_streams() {
  for (unsigned i = 0; i < format_->nb_streams; ++i) {
    if (format_->streams[i] != stream_) format_->streams[i]->discard = AVDISCARD_ALL;
  }
}

// Where FFmpeg may have stopped looking too early.
std::string Container::probed() const {
  if (stamp_.bytes <= limits_.probe_bytes) return {};
  return fmt::format(" within probe_bytes = {}", limits_.probe_bytes);
}

void Container::check_streams() const {
  if (format_->nb_streams > limits_.max_streams) fail_for_streams(path(), limits_);
}

void Container::choose_stream() {
  MessageCount messages;
  std::vector<AVDictionary*> options(format_->nb_streams, nullptr);
  for (AVDictionary*& option : options) {
    av_dict_set_int(&option, "max_pixels", limits_.max_pixels, 0);
    av_dict_set_int(&option, "threads", 1, 0);
  }
  const int code = avformat_find_stream_info(format_, options.data());
  for (AVDictionary*& option : options) av_dict_free(&option);
  check_deadline();
  check_streams();
  if (format_->nb_streams == 0) {
    fail(path(),
         fmt::format("no video stream: expected one{}, got a container without any stream", probed()));
  }
  if (code < 0) {
    fail(path(), fmt::format("unreadable streams: expected a video, got \"{}\"{}", error_text(code),
                             because(messages)));
  }
  const int best = av_find_best_stream(format_, AVMEDIA_TYPE_VIDEO, -1, -1, nullptr, 0);
  if (best < 0 || (format_->streams[best]->disposition & AV_DISPOSITION_ATTACHED_PIC) != 0) {
    fail(path(),
         fmt::format("no video stream: expected one, got {} stream(s) of sound, text or cover pictures",
                     format_->nb_streams));
  }
  stream_ = format_->streams[best];
  discard_other_streams();
  const AVCodecParameters& codec = *stream_->codecpar;
  const std::int64_t pixels = std::int64_t{codec.width} * codec.height;
  if (pixels > limits_.max_pixels) {
    fail(path(), fmt::format("frame too large: expected at most max_pixels = {}, got {} x {}",
                             limits_.max_pixels, codec.width, codec.height));
  }
  const AVCodec* decoder = avcodec_find_decoder(codec.codec_id);
  if (decoder == nullptr || av_match_list(decoder->name, kCodecs, ',') == 0) {
    char tag[AV_FOURCC_MAX_STRING_SIZE] = {};
    av_fourcc_make_string(tag, codec.codec_tag);
    fail(path(),
         fmt::format("unsupported codec: expected one that can be decoded here, got {} (tag {})",
                     avcodec_get_name(codec.codec_id), tag),
         "convert the file to H.264");
  }
}

bool Container::read(AVPacket* packet) {
  while (true) {
    const int code = av_read_frame(format_, packet);
    if (code < 0) {
      failure_ = code == AVERROR_EOF ? 0 : code;
      return false;
    }
    if (packet->stream_index == stream_->index) return true;
    av_packet_unref(packet);
    if (io_->limit.over()) {
      failure_ = AVERROR_EXIT;
      return false;
    }
  }
}

bool Container::seek(std::int64_t timestamp) {
  failure_ = 0;
  return av_seek_frame(format_, stream_->index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
}

void Container::set_deadline(double seconds, const char* limit) {
  io_->limit.start(seconds);
  io_->limit_name = limit;
  io_->limit_s = seconds;
}

bool Container::timed_out() const { return io_->limit.over(); }

void Container::check_deadline() const {
  if (!timed_out()) return;
  fail(path(), fmt::format("took too long: expected an end within {} = {:g}, got none", io_->limit_name,
                           io_->limit_s));
}

}  // namespace kinema::media
