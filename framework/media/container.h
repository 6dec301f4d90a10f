#pragma once

// Private to this folder.
#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "framework/media/ffmpeg.h"
#include "framework/media/limits.h"
#include "framework/media/video_part.h"

namespace kinema::media {

// What a file is to a cache: another size or time means another file.
struct FileStamp {
  std::int64_t bytes = 0;
  std::int64_t mtime_ns = 0;
  bool operator==(const FileStamp&) const = default;
};

// What probing found out about a file, so that opening it again need not probe.
struct StreamHint {
  int stream = -1;
  std::shared_ptr<const AVCodecParameters> parameters;
};

// An open container and its chosen video stream, read through our own file descriptor: FFmpeg opens nothing
// itself, so no playlist, reference or URL inside a file can reach another file or the network.
class Container {
 public:
  // Throws Error(data) naming the part. The hint is for the same video and used where its packets do not
  // depend on probing.
  Container(VideoPart part, const Limits& limits, StreamHint hint = {});
  ~Container();
  Container(Container&&) noexcept;

  // What names it in messages.
  const std::string& path() const { return part_.shown(); }
  const VideoPart& part() const { return part_; }
  FileStamp stamp() const { return stamp_; }  // of the file
  AVFormatContext* format() const { return format_; }
  AVStream* stream() const { return stream_; }

  // The next packet of the video stream; false at the end or at an error, which failure() then holds.
  bool read(AVPacket* packet);
  int failure() const { return failure_; }
  // To a packet of the stream at or before `timestamp` (stream units); false when the demuxer cannot.
  bool seek(std::int64_t timestamp);
  // Back to the first packet, whatever the demuxer can do.
  void reopen();
  // The same, as if opened without a hint.
  void reopen_afresh();
  StreamHint hint() const;
  bool hinted() const { return hint_.parameters != nullptr; }

  // `limit` is the name of the limit, for the error.
  void set_deadline(double seconds, const char* limit);
  bool timed_out() const;
  // Throws Error(data) naming the limit when the deadline has passed.
  void check_deadline() const;

 private:
  struct Io;
  void open();
  void close();
  std::string probed() const;
  void check_streams() const;
  void choose_stream();
  bool take_hint();
  void discard_other_streams();

  VideoPart part_;
  Limits limits_;
  StreamHint hint_;
  FileStamp stamp_;
  std::unique_ptr<Io> io_;
  AVFormatContext* format_ = nullptr;
  AVStream* stream_ = nullptr;
  int failure_ = 0;
};

// Size and time of a regular file. Throws Error(data) naming the part for what is missing, empty or no
// regular file.
FileStamp stamp_of(const VideoPart& part);

}  // namespace kinema::media
