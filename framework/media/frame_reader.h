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

// Fetches frames by number out of one open file, decoding from the right entry, and checks on the way that
// what comes is what the index says.
class FrameReader {
 public:
  FrameReader(Container container, IndexPtr index, const Limits& limits);

  const Index& index() const { return *index_; }
  Container& container() { return container_; }
  // After the container was used elsewhere, or the index was replaced.
  void reset(IndexPtr index);

  // Frames that may be asked for until the next call, ascending: others are left out where that changes
  // nothing.
  void expect(std::span<const std::uint32_t> wanted) { wanted_ = wanted; }
  // Frame `number`, valid until the next call; nullptr when the file does not do what the index says:
  // doubt().
  const AVFrame* fetch(std::uint32_t number);
  const std::string& doubt() const { return doubt_; }

  std::int64_t decoded() const { return decoded_; }
  std::int64_t seeks() const { return seeks_; }
  std::int64_t corrupt() const { return corrupt_; }

 private:
  struct Start {
    std::uint32_t packet, exact_from;
    std::int64_t seek_timestamp;
    bool lead_in;  // begins with pictures that may lack their references
  };
  Start start_for(std::uint32_t number) const;
  bool can_go_on(std::uint32_t number, const Start& start) const;
  bool begin_at(const Start& start);
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

  std::int64_t decoded_ = 0, seeks_ = 0, corrupt_ = 0;
};

}  // namespace kinema::media
