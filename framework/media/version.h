#pragma once

#include <string>

namespace kinema::media {

// The FFmpeg that this process runs with: "5.1.9".
std::string ffmpeg_version();

}  // namespace kinema::media
