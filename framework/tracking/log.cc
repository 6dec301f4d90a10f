#include "framework/tracking/log.h"

#include <fmt/format.h>
#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>

#include <atomic>

#include "kinema/error.h"

namespace kinema::tracking {
namespace {

std::string printable(std::string_view line) {
  std::string out;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte < 0x20 && c != '\t') || byte == 0x7f)
      out += fmt::format("\\x{:02x}", byte);
    else
      out += c;
  }
  return out;
}

}  // namespace

struct Log::Logger {
  explicit Logger(const std::string& path)
      : spd("train", std::make_shared<spdlog::sinks::basic_file_sink_mt>(path, false)) {
    spd.set_formatter(std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
                                                                  spdlog::pattern_time_type::utc));
    spd.flush_on(spdlog::level::trace);
    spd.set_error_handler([this](const std::string&) { ++lost; });
  }

  void write(spdlog::level::level_enum level, std::string_view text) {
    while (true) {
      const auto end = text.find('\n');
      spd.log(level, "{}", printable(text.substr(0, end)));
      if (end == std::string_view::npos || end + 1 == text.size()) return;
      text.remove_prefix(end + 1);
    }
  }

  spdlog::logger spd;
  std::atomic<long> lost = 0;
};

Log::Log() = default;
Log::~Log() = default;
Log::Log(Log&&) noexcept = default;
Log& Log::operator=(Log&&) noexcept = default;

Log::Log(const std::string& path) {
  try {
    logger_ = std::make_unique<Logger>(path);
  } catch (const spdlog::spdlog_ex& e) {
    throw Error(ErrorKind::run, path, std::string("cannot open the log: ") + e.what());
  }
}

void Log::info(std::string_view text) {
  if (logger_) logger_->write(spdlog::level::info, text);
}
void Log::warn(std::string_view text) {
  if (logger_) logger_->write(spdlog::level::warn, text);
}
void Log::error(std::string_view text) {
  if (logger_) logger_->write(spdlog::level::err, text);
}

long Log::lost_lines() const { return logger_ ? logger_->lost.load() : 0; }

}  // namespace kinema::tracking
