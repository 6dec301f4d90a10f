#pragma once

#include <cstdint>
#include <string>

namespace kinema::media {

// While it lives, FFmpeg's messages of this thread are counted here instead of going to stderr. Scopes nest;
// the innermost counts. The first one installs the process-wide callback.
class MessageCount {
 public:
  MessageCount();
  ~MessageCount();
  MessageCount(const MessageCount&) = delete;
  MessageCount& operator=(const MessageCount&) = delete;

  std::int64_t errors() const { return errors_; }
  std::int64_t warnings() const { return warnings_; }
  // The first error, or the first warning when there was none; may be empty.
  const std::string& first() const { return first_error_.empty() ? first_warning_ : first_error_; }

  void add(bool error, std::string text);
  // Tells the scope around this one what was heard here, once.
  void pass_on() const;

 private:
  MessageCount* outer_;
  std::int64_t errors_ = 0;
  std::int64_t warnings_ = 0;
  std::string first_error_;
  std::string first_warning_;
};

// Silences FFmpeg's own printing for the whole process. Idempotent.
void capture_messages();

}  // namespace kinema::media
