#include "framework/media/version.h"

extern "C" {
#include <libavutil/avutil.h>
}

namespace kinema::media {

std::string ffmpeg_version() { return av_version_info(); }

}  // namespace kinema::media
