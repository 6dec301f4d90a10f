#include "framework/media/index_file.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "framework/media/byte_fields.h"
#include "framework/media/ffmpeg.h"
#include "kinema/error.h"

namespace kinema::media {
namespace {

constexpr std::string_view kMagic = "KINEMAIX";
constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kFrame = kMagic.size() + 1 + 8;  // around the fields: name, version, checksum

// One list of what is written: a visitor reads or writes.
template <class Visitor>
void visit(Visitor& v, VideoInfo& info) {
  for (int* side : {&info.size.width, &info.size.height, &info.stored_size.width, &info.stored_size.height,
                    &info.rotation_degrees, &info.sample_aspect_width, &info.sample_aspect_height,
                    &info.video_streams, &info.stream})
    v.integer(*side);
  for (bool* flag :
       {&info.orientation.transpose, &info.orientation.flip_x, &info.orientation.flip_y, &info.interlaced})
    v.flag(*flag);
  for (double* value : {&info.fps, &info.duration_s}) v.real(*value);
  for (std::string* text : {&info.codec, &info.container, &info.pixel_format}) v.text(*text);
  v.integer(info.header_frames);
}

template <class Visitor>
void visit(Visitor& v, AVCodecParameters& p) {
  v.integer(p.codec_id);
  v.integer(p.codec_tag);
  v.integer(p.format);
  v.integer(p.bit_rate);
  for (int* value : {&p.bits_per_coded_sample, &p.bits_per_raw_sample, &p.profile, &p.level, &p.width,
                     &p.height, &p.sample_aspect_ratio.num, &p.sample_aspect_ratio.den, &p.video_delay})
    v.integer(*value);
  v.integer(p.field_order);
  v.integer(p.color_range);
  v.integer(p.color_primaries);
  v.integer(p.color_trc);
  v.integer(p.color_space);
  v.integer(p.chroma_location);
}

struct Writing {
  FieldWriter fields;
  template <class T>
  void integer(const T& value) {
    fields.integer(static_cast<std::int64_t>(value));
  }
  void flag(bool value) { fields.number(value ? 1 : 0); }
  void real(double value) { fields.real(value); }
  void text(const std::string& value) { fields.text(value); }
};

struct Reading {
  FieldReader fields;
  bool out_of_range = false;
  template <class T>
  void integer(T& value) {
    const std::int64_t read = fields.integer();
    value = static_cast<T>(read);
    out_of_range |= static_cast<std::int64_t>(value) != read;
  }
  void flag(bool& value) {
    const std::uint64_t read = fields.number();
    value = read == 1;
    out_of_range |= read > 1;
  }
  void real(double& value) {
    value = fields.real();
    out_of_range |= !std::isfinite(value);
  }
  void text(std::string& value) { value = fields.text(); }
};

void write_packets(FieldWriter& out, const std::vector<IndexPacket>& packets) {
  out.number(packets.size());
  std::int64_t expected = 0;  // where the packet before ends
  for (const IndexPacket& packet : packets) {
    out.integer(packet.position - expected);
    out.integer(packet.size);
    out.integer(std::int64_t{packet.frame} * 2 + (packet.droppable ? 1 : 0));
    expected = packet.position + packet.size;
  }
}

std::vector<IndexPacket> read_packets(Reading& in) {
  std::vector<IndexPacket> packets(in.fields.count(3));
  std::uint64_t expected = 0;
  for (IndexPacket& packet : packets) {
    packet.position = static_cast<std::int64_t>(expected + static_cast<std::uint64_t>(in.fields.integer()));
    in.integer(packet.size);
    const std::int64_t frame = in.fields.integer();
    packet.droppable = (frame & 1) != 0;
    packet.frame = static_cast<std::int32_t>(frame >> 1);
    in.out_of_range |= packet.frame != frame >> 1 || packet.position < -1 || packet.size < 0;
    expected = static_cast<std::uint64_t>(packet.position) + static_cast<std::uint64_t>(packet.size);
  }
  return packets;
}

void write_frames(FieldWriter& out, const std::vector<IndexFrame>& frames) {
  out.number(frames.size());
  std::int64_t packet = 0;
  for (const IndexFrame& frame : frames) {
    out.integer(frame.packet - packet);
    out.number(frame.occurrence);
    packet = frame.packet;
  }
  for (const IndexFrame& frame : frames) out.real(frame.time_s);
}

std::vector<IndexFrame> read_frames(Reading& in) {
  std::vector<IndexFrame> frames(in.fields.count(2 + sizeof(double)));
  std::uint64_t packet = 0;
  for (IndexFrame& frame : frames) {
    packet += static_cast<std::uint64_t>(in.fields.integer());
    const std::uint64_t occurrence = in.fields.number();
    frame.packet = static_cast<std::uint32_t>(packet);
    frame.occurrence = static_cast<std::uint32_t>(occurrence);
    in.out_of_range |= frame.packet != packet || frame.occurrence != occurrence;
  }
  for (IndexFrame& frame : frames) in.real(frame.time_s);
  return frames;
}

void write_entries(FieldWriter& out, const std::vector<IndexEntry>& entries) {
  out.number(entries.size());
  for (const IndexEntry& entry : entries) {
    out.number(entry.packet);
    out.number(entry.frame);
    out.integer(entry.seek_timestamp);
    out.number(entry.open ? 1 : 0);
  }
}

std::vector<IndexEntry> read_entries(Reading& in) {
  std::vector<IndexEntry> entries(in.fields.count(4));
  for (IndexEntry& entry : entries) {
    const std::uint64_t packet = in.fields.number(), frame = in.fields.number();
    entry = {static_cast<std::uint32_t>(packet), static_cast<std::uint32_t>(frame), in.fields.integer(),
             false};
    in.flag(entry.open);
    in.out_of_range |= entry.packet != packet || entry.frame != frame;
  }
  return entries;
}

// A decoder believes these, and ends the process over some that cannot be.
bool plausible(const AVCodecParameters& p) {
  constexpr int kMostDelay = 16, kMostBits = 64;
  const auto within = [](std::int64_t value, std::int64_t end) { return value >= 0 && value < end; };
  return within(p.video_delay, kMostDelay + 1) && within(p.format + 1, AV_PIX_FMT_NB + 1) && p.width >= 0 &&
         p.height >= 0 && p.sample_aspect_ratio.num >= 0 && p.sample_aspect_ratio.den >= 0 &&
         within(p.bits_per_coded_sample, kMostBits) && within(p.bits_per_raw_sample, kMostBits) &&
         within(p.field_order, AV_FIELD_BT + 1) && within(p.color_range, AVCOL_RANGE_NB) &&
         within(p.color_primaries, AVCOL_PRI_NB) && within(p.color_trc, AVCOL_TRC_NB) &&
         within(p.color_space, AVCOL_SPC_NB) && within(p.chroma_location, AVCHROMA_LOC_NB);
}

std::shared_ptr<const void> read_parameters(Reading& in) {
  constexpr std::size_t kLongest = 1 << 20;
  const std::shared_ptr<AVCodecParameters> parameters(avcodec_parameters_alloc(), FreeCodecParameters());
  parameters->codec_type = AVMEDIA_TYPE_VIDEO;
  visit(in, *parameters);
  const std::string extra = in.fields.text();
  in.out_of_range |= extra.size() > kLongest || !plausible(*parameters);
  if (extra.empty() || in.out_of_range) return parameters;
  parameters->extradata = static_cast<std::uint8_t*>(av_mallocz(extra.size() + AV_INPUT_BUFFER_PADDING_SIZE));
  if (parameters->extradata == nullptr) throw std::bad_alloc();
  std::memcpy(parameters->extradata, extra.data(), extra.size());
  parameters->extradata_size = static_cast<int>(extra.size());
  return parameters;
}

// Every number that something is looked up by, or memory is sized by, later.
bool consistent(const Index& index, const Limits& limits) {
  const VideoInfo& info = index.info;
  const auto sane = [&](Size size) {
    return size.width > 0 && size.height > 0 && std::int64_t{size.width} * size.height <= limits.max_pixels;
  };
  const auto packets = static_cast<std::int64_t>(index.packets.size());
  const auto frames = static_cast<std::int64_t>(index.frames.size());
  if (!sane(info.size) || !sane(info.stored_size) || info.fps <= 0 || info.duration_s < 0 || info.stream < 0)
    return false;
  if (packets == 0 || frames == 0 || packets > limits.max_packets || index.entries.empty()) return false;
  for (const IndexPacket& packet : index.packets)
    if (packet.frame < -1 || packet.frame >= frames) return false;
  for (const IndexFrame& frame : index.frames)
    if (frame.packet >= packets) return false;
  for (std::size_t i = 0; i < index.entries.size(); ++i) {
    const IndexEntry& entry = index.entries[i];
    const bool in_order =
        i == 0 ? entry.packet == 0 && entry.frame == 0 && !entry.open
               : entry.packet > index.entries[i - 1].packet && entry.frame > index.entries[i - 1].frame;
    if (!in_order || entry.packet >= packets || entry.frame >= frames) return false;
  }
  return true;
}

Index read_fields(Reading& in) {
  Index index;
  visit(in, index.info);
  in.flag(index.decoded);
  in.flag(index.from_start_only);
  in.text(index.why_decoded);
  in.integer(index.decode_errors);
  in.integer(index.corrupt_frames);
  index.packets = read_packets(in);
  index.frames = read_frames(in);
  index.entries = read_entries(in);
  index.info.frame_count = static_cast<std::int64_t>(index.frames.size());
  bool probed = false;
  in.flag(probed);
  if (probed) index.stream_parameters = read_parameters(in);
  return index;
}

}  // namespace

std::string index_to_bytes(const Index& index) {
  Writing out;
  VideoInfo info = index.info;
  visit(out, info);
  out.flag(index.decoded);
  out.flag(index.from_start_only);
  out.text(index.why_decoded);
  out.integer(index.decode_errors);
  out.integer(index.corrupt_frames);
  write_packets(out.fields, index.packets);
  write_frames(out.fields, index.frames);
  write_entries(out.fields, index.entries);
  const auto* known = static_cast<const AVCodecParameters*>(index.stream_parameters.get());
  out.flag(known != nullptr);
  if (known != nullptr) {
    AVCodecParameters parameters = *known;  // its pointers are only looked at
    visit(out, parameters);
    out.fields.text(
        {reinterpret_cast<const char*>(known->extradata), static_cast<std::size_t>(known->extradata_size)});
  }
  std::string bytes(kMagic);
  bytes += static_cast<char>(kVersion);
  bytes += out.fields.bytes();
  FieldWriter end;
  end.fixed(XXH3_64bits(bytes.data(), bytes.size()));
  return bytes + end.bytes();
}

Index index_from_bytes(std::span<const std::uint8_t> bytes, const std::string& where, const Limits& limits) {
  const auto fail = [&](const char* expected, std::string got) {
    throw Error(ErrorKind::data, where, fmt::format("no index: expected {}, got {}", expected, got));
  };
  if (bytes.size() < kFrame || std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0)
    fail("one that kinema wrote", "other bytes");
  if (bytes[kMagic.size()] != kVersion) fail("version 1", fmt::format("version {}", bytes[kMagic.size()]));
  const std::size_t end = bytes.size() - sizeof(std::uint64_t);
  if (FieldReader(bytes.subspan(end)).fixed() != XXH3_64bits(bytes.data(), end))
    fail("the checksum of its bytes", "another one");
  Reading in{FieldReader(bytes.subspan(kMagic.size() + 1, end - kMagic.size() - 1))};
  Index index = read_fields(in);
  if (in.fields.failed() || in.fields.left() > 0 || in.out_of_range || !consistent(index, limits))
    fail("numbers that fit together", "others");
  return index;
}

}  // namespace kinema::media
