#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "kinema/geometry.h"

namespace kinema::media {

struct WriterOptions {
  // FFmpeg's encoder name; empty: libx264 when there is one, else mpeg4.
  std::string codec;
  // FFmpeg's name of the container ("mp4"); empty: by the ending of the file's name.
  std::string container;
  // Of the frames that write() takes, where they are to be scaled to the video's size, each pixel being the
  // mean of what it covers; 0: they have that size.
  Size input;
  // Empty: what the encoder prefers for RGB input (yuv420p, gif: rgb8).
  std::string pixel_format;
  int gop = 12;
  int b_frames = 0;
  // libx264, libx265: constant rate factor; others: quantiser scale 1 to 31 (1 is best). Negative: the
  // encoder's own.
  int quality = -1;
  // Display matrix: clockwise turn that shows the frames upright, 0, 90, 180 or 270; with `mirror` a
  // horizontal flip.
  int rotation_degrees = 0;
  bool mirror = false;
  int sample_aspect_width = 0, sample_aspect_height = 0;
  bool full_range = false;
  int colour_matrix = 2;                               // AVColorSpace: 1 BT.709, 2 unspecified, 5 BT.601
  std::map<std::string, std::string> encoder_options;  // private ones too ("x264-params")
  std::map<std::string, std::string> muxer_options;    // "movflags"
};

// Writes RGB24 frames of one size to a video; the container follows from the name's ending. One thread.
// Output is the same for the same input: one encoder thread, no dates, no versions. Errors are Error(run)
// naming the path.
class VideoWriter {
 public:
  VideoWriter(std::string path, Size size, double fps, WriterOptions options = {});
  ~VideoWriter();  // abandons what finish() did not complete
  VideoWriter(VideoWriter&&) noexcept;

  // RGB24 [height, width, 3] (of options.input), displayed one frame after the previous one.
  void write(const std::uint8_t* rgb);
  // The same at `tick`, in units of 1/fps; ticks must increase.
  void write_at(const std::uint8_t* rgb, std::int64_t tick);
  void finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

bool has_encoder(const std::string& name);

// An RGB24 [height, width, 3] picture at another size, each pixel the mean of what it covers, as VideoWriter
// scales what it is given.
std::vector<std::uint8_t> scaled_picture(const std::uint8_t* rgb, Size from, Size to);

// An RGB24 [height, width, 3] picture as PNG.
void write_png(const std::string& path, const std::uint8_t* rgb, Size size);

}  // namespace kinema::media
