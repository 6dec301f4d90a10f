#pragma once

// Private to this folder.
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "framework/media/container.h"
#include "framework/media/decoder.h"
#include "framework/media/index.h"

namespace kinema::media {

class MessageCount;

// Fetches frames by number out of one open file, decoding from the right entry, and checks on the way that
// what comes is what the index says.
class FrameReader {
 public:
  FrameReader(Container container, IndexPtr index, const Limits& limits);

  const Index& index() const { return *index_; }
  Container& container() { return container_; }
  // After the container was used elsewhere, or the index was replaced.
  void reset(IndexPtr index);

  // Begins a read: frames that may be asked for until the next call, ascending. Others are left out where
  // that changes nothing.
  void expect(std::span<const std::uint32_t> wanted);
  // Frame `number`, valid until the next call; nullptr when the file does not do what the index says:
  // doubt().
  const AVFrame* fetch(std::uint32_t number);
  const std::string& doubt() const { return doubt_; }

  std::int64_t decoded() const { return decoded_; }
  std::int64_t seeks() const { return seeks_; }
  std::int64_t corrupt() const { return corrupt_; }
  // What an earlier read heard about packets that frames of this one depend on: messages of level error, the
  // first of them, and corrupt frames.
  struct Inherited {
    std::int64_t errors = 0, corrupt = 0;
    std::string first_message;
  };
  const Inherited& inherited() const { return inherited_; }

 private:
  struct Start {
    std::uint32_t packet, exact_from;
    std::int64_t seek_timestamp;
    bool lead_in;  // begins with pictures that may lack their references
  };
  Start start_for(std::uint32_t number) const;
  bool can_go_on(std::uint32_t number, const Start& start) const;
  bool begin_at(const Start& start);
  void note(const MessageCount& heard, std::int64_t ordinal);
  void inherit(const Start& start);
  bool move_to(const Start& start);
  bool rewind_to(std::uint32_t packet);
  bool skip_to(std::uint32_t packet);
  bool synchronize(std::uint32_t limit);
  bool read_packet();
  void drop_packet();
  bool matches(std::uint32_t packet) const;
  bool wanted(std::uint32_t frame) const;
  const AVFrame* next_frame();
  const AVFrame* decode_one();
  bool feed();
  bool number_frame();
  bool fail(std::string doubt);

  Container container_;
  IndexPtr index_;
  Decoder decoder_;
  PacketPtr packet_;
  bool skip_unwanted_;
  std::span<const std::uint32_t> wanted_;
  std::string doubt_;

  bool running_ = false;          // the decoder holds a run that began at an entry
  bool lead_in_ = false;          // it has delivered nothing exact yet, and complaints are expected
  bool ended_ = false;            // and was told of the end of the stream
  std::int64_t next_packet_ = 0;  // the container's next packet, -1: unknown
  bool holds_packet_ = false;     // packet_ is it
  std::uint32_t exact_from_ = 0;
  std::int64_t current_ = -1;  // number of the frame that came last, -1: none yet in this run
  const AVFrame* frame_ = nullptr;
  std::vector<std::uint32_t> left_out_;  // frames of this run that were not sent
  std::vector<std::pair<std::int64_t, std::uint32_t>> by_position_;
  bool positions_known_ = false;

  struct Damage {
    std::int64_t packet = 0;
    std::int64_t errors = 0, corrupt = 0;
    std::string first_message;
    std::int64_t read = 0;  // the one that has it in its report
  };
  std::vector<Damage> damage_;  // of this run
  std::int64_t read_ = 0;
  Inherited inherited_;

  std::int64_t decoded_ = 0, seeks_ = 0, corrupt_ = 0;
};

}  // namespace kinema::media
