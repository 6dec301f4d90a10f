#pragma once

// Private to this folder: the one place that includes FFmpeg.
extern "C" {
#include <libavcodec/avcodec.h>
#include <libavformat/avformat.h>
#include <libavutil/avstring.h>
#include <libavutil/avutil.h>
#include <libavutil/display.h>
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
#include <libavutil/pixdesc.h>
#include <libswscale/swscale.h>
}

#include <memory>
#include <string>

namespace kinema::media {

struct FreePacket {
  void operator()(AVPacket* packet) const { av_packet_free(&packet); }
};
struct FreeFrame {
  void operator()(AVFrame* frame) const { av_frame_free(&frame); }
};
struct FreeCodecContext {
  void operator()(AVCodecContext* codec) const { avcodec_free_context(&codec); }
};
struct FreeSwsContext {
  void operator()(SwsContext* sws) const { sws_freeContext(sws); }
};
struct FreeCodecParameters {
  void operator()(AVCodecParameters* parameters) const { avcodec_parameters_free(&parameters); }
};
using CodecParametersPtr = std::unique_ptr<AVCodecParameters, FreeCodecParameters>;
using PacketPtr = std::unique_ptr<AVPacket, FreePacket>;
using FramePtr = std::unique_ptr<AVFrame, FreeFrame>;
using CodecContextPtr = std::unique_ptr<AVCodecContext, FreeCodecContext>;
using SwsContextPtr = std::unique_ptr<SwsContext, FreeSwsContext>;

// av_err2str is a C macro that C++ refuses.
inline std::string error_text(int code) {
  char text[AV_ERROR_MAX_STRING_SIZE] = {};
  av_strerror(code, text, sizeof text);
  return text;
}

}  // namespace kinema::media
