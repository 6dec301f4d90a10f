#include "framework/media/message_count.h"

#include <cstdarg>
#include <cstdio>
#include <mutex>

#include "framework/media/ffmpeg.h"

namespace kinema::media {
namespace {

thread_local MessageCount* innermost = nullptr;

void on_message(void*, int level, const char* format, va_list arguments) {
  if (level > AV_LOG_WARNING || innermost == nullptr) return;
  char text[256];
  std::vsnprintf(text, sizeof text, format, arguments);
  std::string line = text;
  while (!line.empty() && (line.back() == '\n' || line.back() == ' ')) line.pop_back();
  innermost->add(level <= AV_LOG_ERROR, std::move(line));
}

}  // namespace

void capture_messages() {
  static std::once_flag once;
  std::call_once(once, [] { av_log_set_callback(on_message); });
}

MessageCount::MessageCount() : outer_(innermost) {
  capture_messages();
  innermost = this;
}

MessageCount::~MessageCount() { innermost = outer_; }

void MessageCount::add(bool error, std::string text) {
  ++(error ? errors_ : warnings_);
  std::string& first = error ? first_error_ : first_warning_;
  if (first.empty()) first = std::move(text);
}

void MessageCount::pass_on() const {
  if (outer_ == nullptr) return;
  outer_->errors_ += errors_;
  outer_->warnings_ += warnings_;
  if (outer_->first_error_.empty()) outer_->first_error_ = first_error_;
  if (outer_->first_warning_.empty()) outer_->first_warning_ = first_warning_;
}

}  // namespace kinema::media
