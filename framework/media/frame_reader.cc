#include "framework/media/frame_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "framework/media/message_count.h"

namespace kinema::media {
namespace {

// Reading so many packets without decoding them is cheaper than a seek.
constexpr std::int64_t kShortSkip = 32;
// Packets that a demuxer may deliver after a seek before the first one that the index knows.
constexpr int kMaxStrangers = 64;

}  // namespace

FrameReader::FrameReader(Container container, IndexPtr index, const Limits& limits)
    : container_(std::move(container)),
      index_(nullptr),
      decoder_(*container_.stream(), container_.path(), limits),
      packet_(av_packet_alloc()),
      skip_unwanted_(limits.skip_unwanted) {
  reset(std::move(index));
}

void FrameReader::reset(IndexPtr index) {
  index_ = std::move(index);
  running_ = false;
  frame_ = nullptr;
  next_packet_ = -1;
  drop_packet();
  by_position_.clear();
  positions_known_ = true;
  for (std::uint32_t i = 0; i < index_->packets.size(); ++i) {
    positions_known_ &= index_->packets[i].position >= 0;
    by_position_.emplace_back(index_->packets[i].position, i);
  }
  std::ranges::sort(by_position_);
  positions_known_ &=
      std::ranges::adjacent_find(by_position_, {}, &std::pair<std::int64_t, std::uint32_t>::first) ==
      by_position_.end();
}

bool FrameReader::fail(std::string doubt) {
  doubt_ = std::move(doubt);
  running_ = false;
  frame_ = nullptr;
  return false;
}

void FrameReader::expect(std::span<const std::uint32_t> wanted) {
  wanted_ = wanted;
  ++read_;
  inherited_ = {};
}

FrameReader::Start FrameReader::start_for(std::uint32_t number) const {
  const auto& entries = index_->entries;
  auto entry = std::ranges::upper_bound(entries, number, {}, &IndexEntry::frame);
  if (entry != entries.begin()) --entry;
  const std::uint32_t exact_from = entry->frame;
  const bool open = entry->open;
  if (open) --entry;
  return {entry->packet, exact_from, entry->seek_timestamp, open && entry->packet > 0};
}

bool FrameReader::can_go_on(std::uint32_t number, const Start& start) const {
  if (!running_ || number < exact_from_ || number <= current_) return false;
  if (!ended_ && start.packet > next_packet_) return false;  // a seek saves work
  return std::ranges::find(left_out_, number) == left_out_.end();
}

// A report does not depend on what was read before: decoding anew from `start` would hear the same.
void FrameReader::inherit(const Start& start) {
  for (Damage& damage : damage_) {
    if (damage.packet < start.packet || damage.read == read_) continue;
    damage.read = read_;
    inherited_.errors += damage.errors;
    inherited_.corrupt += damage.corrupt;
    if (inherited_.first_message.empty()) inherited_.first_message = damage.first_message;
  }
}

// What the container and the decoder said about a packet.
void FrameReader::note(const MessageCount& heard, std::int64_t ordinal) {
  heard.pass_on();
  if (heard.errors() == 0 || lead_in_) return;
  damage_.push_back({.packet = ordinal,
                     .errors = heard.errors(),
                     .corrupt = 0,
                     .first_message = heard.first(),
                     .read = read_});
}

const AVFrame* FrameReader::fetch(std::uint32_t number) {
  const Start start = start_for(number);
  if (running_ && frame_ != nullptr && current_ == number) {
    inherit(start);
    return frame_;
  }
  if (!can_go_on(number, start) && !begin_at(start)) return nullptr;
  while (current_ < number) {
    if (container_.timed_out()) {
      container_.check_deadline();
    }
    if (next_frame() == nullptr) return nullptr;
  }
  if (current_ == number) {
    inherit(start);
    return frame_;
  }
  fail(fmt::format("frame {} did not come", number));
  return nullptr;
}

bool FrameReader::begin_at(const Start& start) {
  running_ = false;
  frame_ = nullptr;
  if (!move_to(start)) return false;
  if (index_->from_start_only) {
    decoder_.restart();
  } else {
    decoder_.flush();
  }
  running_ = true;
  ended_ = false;
  lead_in_ = start.lead_in;
  exact_from_ = start.exact_from;
  current_ = -1;
  left_out_.clear();
  damage_.clear();
  return true;
}

bool FrameReader::move_to(const Start& start) {
  const std::int64_t ahead = start.packet - next_packet_;
  if (next_packet_ >= 0 && ahead >= 0 && ahead <= kShortSkip) return skip_to(start.packet);
  ++seeks_;
  if (index_->from_start_only || !positions_known_ || !container_.seek(start.seek_timestamp) ||
      !synchronize(start.packet)) {
    return rewind_to(start.packet);
  }
  return skip_to(start.packet);
}

// Finds out which packet comes next after a seek; false when it is past `limit` or never known.
bool FrameReader::synchronize(std::uint32_t limit) {
  next_packet_ = -1;
  drop_packet();
  for (int strangers = 0; strangers < kMaxStrangers && container_.read(packet_.get()); ++strangers) {
    const auto found = std::ranges::lower_bound(by_position_, packet_->pos, {},
                                                &std::pair<std::int64_t, std::uint32_t>::first);
    if (found == by_position_.end() || found->first != packet_->pos) continue;
    if (found->second > limit || !matches(found->second)) return false;
    next_packet_ = found->second;
    holds_packet_ = true;
    return true;
  }
  return false;
}

bool FrameReader::rewind_to(std::uint32_t packet) {
  container_.reopen();
  next_packet_ = 0;
  drop_packet();
  return skip_to(packet);
}

bool FrameReader::skip_to(std::uint32_t packet) {
  while (next_packet_ < packet) {
    if (!read_packet()) return fail(fmt::format("the file ends before packet {}", packet));
    drop_packet();
    ++next_packet_;
  }
  return true;
}

void FrameReader::drop_packet() {
  av_packet_unref(packet_.get());
  holds_packet_ = false;
}

bool FrameReader::matches(std::uint32_t packet) const {
  const IndexPacket& known = index_->packets[packet];
  return known.size == packet_->size && known.position == packet_->pos;
}

// Makes packet_ hold packet next_packet_; false at the end or when another one came (then doubt() says so).
bool FrameReader::read_packet() {
  if (holds_packet_) return true;
  if (!container_.read(packet_.get())) return false;
  holds_packet_ = true;
  if (next_packet_ < static_cast<std::int64_t>(index_->packets.size()) &&
      matches(static_cast<std::uint32_t>(next_packet_))) {
    return true;
  }
  drop_packet();
  doubt_ = fmt::format("packet {} is another one than before", next_packet_);
  return false;
}

bool FrameReader::wanted(std::uint32_t frame) const { return std::ranges::binary_search(wanted_, frame); }

const AVFrame* FrameReader::next_frame() {
  if (!lead_in_) return decode_one();
  const MessageCount unheard;
  const AVFrame* frame = decode_one();
  lead_in_ = false;
  return frame;
}

const AVFrame* FrameReader::decode_one() {
  while (true) {
    frame_ = decoder_.receive();
    if (frame_ != nullptr) {
      ++decoded_;
      if (!number_frame()) return nullptr;
      const bool corrupt = (frame_->flags & AV_FRAME_FLAG_CORRUPT) != 0 || frame_->decode_error_flags != 0;
      if (corrupt && current_ >= 0) {
        ++corrupt_;
        damage_.push_back({.packet = decoder_.ordinal(), .corrupt = 1, .first_message = {}, .read = read_});
      }
      if (current_ >= 0) return frame_;
      continue;
    }
    if (ended_) {
      fail(fmt::format("the stream ends after frame {}", current_));
      return nullptr;
    }
    if (!feed()) return nullptr;
  }
}

// Reads the next packet and gives it to the decoder, or leaves it out.
bool FrameReader::feed() {
  const MessageCount heard;
  doubt_.clear();
  if (!read_packet()) {
    if (!doubt_.empty()) return fail(doubt_);
    decoder_.send(nullptr, -1);
    note(heard, static_cast<std::int64_t>(index_->packets.size()));
    ended_ = true;
    next_packet_ = -1;
    return true;
  }
  const IndexPacket& known = index_->packets[static_cast<std::size_t>(next_packet_)];
  const bool leave_out = skip_unwanted_ && known.droppable && known.frame >= 0 && !index_->from_start_only &&
                         !wanted(static_cast<std::uint32_t>(known.frame));
  if (leave_out) {
    left_out_.push_back(static_cast<std::uint32_t>(known.frame));
  } else {
    decoder_.send(packet_.get(), next_packet_);
  }
  note(heard, next_packet_);
  drop_packet();
  ++next_packet_;
  return true;
}

// Finds the number of frame_ and checks that no frame between is missing. Frames from before exact_from_ keep
// current_ at -1: their pixels may be wrong.
bool FrameReader::number_frame() {
  if (index_->from_start_only) {
    ++current_;
    if (current_ < index_->info.frame_count) return true;
    return fail("more frames than before");
  }
  // The frame's place among its neighbours: the next one in the index that came from this packet.
  const std::int64_t packet = decoder_.ordinal();
  if (packet < 0 || packet >= static_cast<std::int64_t>(index_->packets.size()))
    return fail("a frame of no packet");
  std::int64_t number = index_->packets[static_cast<std::size_t>(packet)].frame;
  if (number < 0) {
    const std::int64_t from = std::max<std::int64_t>(current_ + 1, 0);
    for (std::int64_t i = from; i < index_->info.frame_count && number < 0; ++i) {
      const IndexFrame& frame = index_->frames[static_cast<std::size_t>(i)];
      if (frame.packet == packet && frame.occurrence == decoder_.occurrence()) number = i;
    }
  }
  const bool started = current_ >= 0;
  if (number < 0) {
    if (!started) return true;  // a leading picture that a full decode does not show
    return fail(fmt::format("packet {} delivers a frame", packet));
  }
  if (number < exact_from_) {
    if (!started) return true;
    return fail(fmt::format("frame {} comes late", number));
  }
  const std::int64_t expected = started ? current_ + 1 : exact_from_;
  for (std::int64_t missing = expected; missing < number; ++missing) {
    const auto left = std::ranges::find(left_out_, static_cast<std::uint32_t>(missing));
    if (left == left_out_.end()) return fail(fmt::format("frame {} is missing", missing));
    left_out_.erase(left);
  }
  if (number < expected) return fail(fmt::format("frame {} comes late", number));
  current_ = number;
  return true;
}

}  // namespace kinema::media
