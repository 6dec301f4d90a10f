#include "framework/app/console.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <utility>

#include "framework/config/render.h"
#include "kinema/error.h"

namespace kinema::app {
namespace {

config::Sources& sources() {
  static config::Sources instance;
  return instance;
}

void write_line(std::FILE* stream, std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stream);
  if (!text.ends_with('\n')) std::fputc('\n', stream);
}

int report(const Error& error) {
  const std::string text = config::render(error, sources(), colour_wanted());
  std::fwrite(text.data(), 1, text.size(), stderr);
  return static_cast<int>(error.kind());
}

}  // namespace

void print(std::string_view text) { write_line(stdout, text); }
void note(std::string_view text) { write_line(stderr, text); }
void warn(std::string_view text) { write_line(stderr, "warning: " + std::string(text)); }

eval::Lines console_lines() {
  eval::Lines lines;
  lines.info = note;
  lines.warn = warn;
  return lines;
}

bool colour_wanted() {
  const char* no_colour = std::getenv("NO_COLOR");
  return isatty(STDERR_FILENO) == 1 && (no_colour == nullptr || *no_colour == '\0');
}

void remember_sources(config::Sources texts) { sources() = std::move(texts); }

int guarded(const std::function<int()>& command) {
  try {
    const int code = command();
    if (std::fflush(stdout) != 0)
      throw Error(ErrorKind::run, "stdout", "cannot be written: the results are incomplete");
    return code;
  } catch (const Error& error) {
    return report(error);
  } catch (const std::bad_alloc&) {
    return report(Error(ErrorKind::run, "kinema", "out of memory", "lower [loader] batch or [clip] crop"));
  } catch (const std::exception& error) {
    // Torch adds the place in its sources and a stack trace.
    const std::string text = error.what();
    return report(Error(ErrorKind::run, "kinema", text.substr(0, text.find("\nException raised from "))));
  } catch (...) {
    return report(Error(ErrorKind::run, "kinema", "a plugin threw something that is not an exception"));
  }
}

int report_usage(const std::string& what, const std::string& hint) {
  return report(Error(ErrorKind::usage, "command line", what, hint));
}

}  // namespace kinema::app
