#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "framework/media/limits.h"
#include "framework/media/video.h"
#include "kinema/geometry.h"

namespace kinema::media {

// One decoded JPEG or PNG file: data sets that keep videos as numbered pictures. Told apart by content, not
// by name. The EXIF orientation of a JPEG is applied; alpha is dropped. One thread.
class Picture {
 public:
  // Throws Error(data) naming the path: a missing or empty file, another kind of file, damage that leaves no
  // picture, a limit.
  static Picture open(const std::string& path, const Limits& limits = {});
  Picture(Picture&&) noexcept;
  ~Picture();

  Size size() const;           // displayed
  std::string format() const;  // "jpeg" or "png"
  // RGB24 [geometry.output.height, geometry.output.width, 3] to `out`.
  void read(const Geometry& geometry, std::uint8_t* out);
  const ClipReport& report() const;  // of opening: errors, first_message

 private:
  struct State;
  explicit Picture(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace kinema::media
