#include "framework/media/bitstream.h"

#include <algorithm>
#include <utility>

namespace kinema::media {
namespace {

constexpr std::pair<AVCodecID, Trust> kTrust[] = {
    {AV_CODEC_ID_H264, Trust::scan},
    {AV_CODEC_ID_HEVC, Trust::scan},
    {AV_CODEC_ID_VP8, Trust::scan},
    {AV_CODEC_ID_VP9, Trust::scan},
    {AV_CODEC_ID_AV1, Trust::scan},
    {AV_CODEC_ID_MPEG4, Trust::scan},
    {AV_CODEC_ID_MJPEG, Trust::scan},
    {AV_CODEC_ID_MPEG1VIDEO, Trust::key_frame},
    {AV_CODEC_ID_MPEG2VIDEO, Trust::key_frame},
    {AV_CODEC_ID_H263, Trust::key_frame},
    {AV_CODEC_ID_FLV1, Trust::key_frame},
    {AV_CODEC_ID_WMV1, Trust::key_frame},
    {AV_CODEC_ID_WMV2, Trust::key_frame},
    {AV_CODEC_ID_MSMPEG4V2, Trust::key_frame},
    {AV_CODEC_ID_MSMPEG4V3, Trust::key_frame},
    {AV_CODEC_ID_THEORA, Trust::key_frame},
    {AV_CODEC_ID_FFV1, Trust::key_frame},
    {AV_CODEC_ID_PNG, Trust::key_frame},
    {AV_CODEC_ID_RAWVIDEO, Trust::key_frame},
    {AV_CODEC_ID_HUFFYUV, Trust::key_frame},
    {AV_CODEC_ID_FFVHUFF, Trust::key_frame},
    {AV_CODEC_ID_PRORES, Trust::key_frame},
    {AV_CODEC_ID_DNXHD, Trust::key_frame},
    {AV_CODEC_ID_DVVIDEO, Trust::key_frame},
};

Trust trust_in(AVCodecID codec) {
  const auto* found =
      std::find_if(std::begin(kTrust), std::end(kTrust), [&](auto& row) { return row.first == codec; });
  return found == std::end(kTrust) ? Trust::none : found->second;
}

}  // namespace

Bitstream::Bitstream(const AVCodecParameters& codec)
    : codec_(codec.codec_id), trust_(trust_in(codec.codec_id)) {
  const Bytes extra(codec.extradata, static_cast<std::size_t>(codec.extradata_size));
  if (codec_ == AV_CODEC_ID_H264 && extra.size() >= 7 && extra[0] == 1) length_bytes_ = (extra[4] & 3) + 1;
  if (codec_ == AV_CODEC_ID_HEVC && extra.size() >= 23 && (extra[0] != 0 || extra[1] != 0 || extra[2] > 1)) {
    length_bytes_ = (extra[21] & 3) + 1;
  }
  if (codec_ == AV_CODEC_ID_MPEG4) inspect_mpeg4(extra, mpeg4_);
}

PacketTraits Bitstream::inspect(const AVPacket& packet) {
  const Bytes bytes(packet.data, static_cast<std::size_t>(std::max(packet.size, 0)));
  PacketTraits traits;
  switch (codec_) {
    case AV_CODEC_ID_H264:
      traits = inspect_h264(bytes, length_bytes_);
      break;
    case AV_CODEC_ID_HEVC:
      traits = inspect_hevc(bytes, length_bytes_);
      break;
    case AV_CODEC_ID_VP8:
      traits = inspect_vp8(bytes);
      break;
    case AV_CODEC_ID_VP9:
      traits = inspect_vp9(bytes);
      break;
    case AV_CODEC_ID_AV1:
      traits = inspect_av1(bytes);
      break;
    case AV_CODEC_ID_MPEG4:
      traits = inspect_mpeg4(bytes, mpeg4_);
      break;
    case AV_CODEC_ID_MJPEG:
      traits = inspect_jpeg(bytes);
      break;
    default:
      traits.plausible = false;
  }
  if ((packet.flags & (AV_PKT_FLAG_CORRUPT | AV_PKT_FLAG_DISCARD)) != 0) traits.plausible = false;
  if (av_packet_get_side_data(&packet, AV_PKT_DATA_NEW_EXTRADATA, nullptr) != nullptr ||
      av_packet_get_side_data(&packet, AV_PKT_DATA_PARAM_CHANGE, nullptr) != nullptr) {
    traits.plausible = false;
  }
  return traits;
}

}  // namespace kinema::media
