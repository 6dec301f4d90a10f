#include "framework/tracking/progress.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "framework/tracking/clock.h"

namespace kinema::tracking {
namespace {

constexpr double kRedrawSeconds = 0.1;
constexpr double kLineSeconds = 10;
constexpr int kDefaultWidth = 80;
constexpr int kMaxBar = 30, kMinBar = 5;
constexpr const char* kClearLine = "\r\x1b[K";

int columns(std::string_view text) {  // one a code point: good enough for names
  return static_cast<int>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

std::string cut(const std::string& text, int width) {
  std::string out;
  int used = 0;
  for (const char c : text) {
    if ((static_cast<unsigned char>(c) & 0xc0) != 0x80 && ++used > width) break;
    out += c;
  }
  return out;
}

std::string without_controls(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; },
      '?');
  return text;
}

double fraction(const ProgressView& view) {
  if (view.total <= 0) return 0;
  return std::clamp(static_cast<double>(view.done) / static_cast<double>(view.total), 0.0, 1.0);
}

std::string facts(const ProgressView& view) {
  std::string text =
      view.total > 0 ? fmt::format("{}/{} {}%", view.done, view.total, static_cast<int>(100 * fraction(view)))
                     : fmt::format("{}", view.done);
  if (view.per_second > 0) {
    text += view.per_second >= 1 ? fmt::format(" {:.1f} it/s", view.per_second)
                                 : fmt::format(" {:.1f} s/it", 1 / view.per_second);
    if (view.total > 0)
      text += " eta " + duration_text(static_cast<double>(std::max<std::int64_t>(view.total - view.done, 0)) /
                                      view.per_second);
  }
  if (view.loss) text += fmt::format(" loss {:.4f}", *view.loss);
  if (view.data_wait) text += fmt::format(" data {:.0f}%", 100 * std::clamp(*view.data_wait, 0.0, 1.0));
  return text;
}

int terminal_width(int fd) {
  winsize size{};
  return ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : kDefaultWidth;
}

}  // namespace

std::string render_line(const ProgressView& view) {
  const std::string label = without_controls(view.label);
  return label.empty() ? facts(view) : label + " " + facts(view);
}

std::string render_bar(const ProgressView& view, int width, bool color) {
  const int room = std::max(width - 1, 1);  // a full last column would wrap
  const std::string label = without_controls(view.label), text = facts(view);
  const int bar = std::min(kMaxBar, room - columns(label) - columns(text) - 4);
  if (view.total <= 0 || bar < kMinBar) return cut(render_line(view), room);
  const int filled = static_cast<int>(fraction(view) * bar + 0.5);
  const std::string hashes(static_cast<std::size_t>(filled), '#');
  return fmt::format("{} [{}{}] {}", label, color ? "\x1b[32m" + hashes + "\x1b[0m" : hashes,
                     std::string(static_cast<std::size_t>(bar - filled), '.'), text);
}

ProgressOutput stderr_output() {
  const char* term = std::getenv("TERM");
  const char* no_color = std::getenv("NO_COLOR");
  ProgressOutput output;
  output.file = stderr;
  output.terminal = ::isatty(STDERR_FILENO) != 0 && !(term != nullptr && std::string_view(term) == "dumb");
  output.color = output.terminal && (no_color == nullptr || *no_color == '\0');
  output.width = [] { return terminal_width(STDERR_FILENO); };
  output.now = monotonic_s;
  return output;
}

Progress::Progress(ProgressOutput output) : output_(std::move(output)) {
  if (!output_.now) output_.now = monotonic_s;
  if (!output_.width) output_.width = [] { return kDefaultWidth; };
}

Progress::~Progress() { clear(); }

void Progress::begin(std::string label, std::int64_t total, std::int64_t done) {
  clear();
  view_ = {};
  view_.label = std::move(label);
  view_.total = total;
  view_.done = first_ = done;
  begin_s_ = output_.now();
  // Plain lines keep their rhythm over short loops; a bar shows at once.
  if (output_.terminal || drawn_s_ == 0) drawn_s_ = begin_s_;
  active_ = true;
  if (output_.terminal) draw();
}

void Progress::update(std::int64_t done, std::optional<double> loss, std::optional<double> data_wait_s) {
  if (!active_) return;
  const double now = output_.now(), elapsed = now - begin_s_;
  view_.done = done;
  if (loss) view_.loss = loss;
  if (elapsed > 0) {
    view_.per_second = static_cast<double>(done - first_) / elapsed;
    if (data_wait_s) view_.data_wait = *data_wait_s / elapsed;
  }
  if (now - drawn_s_ < (output_.terminal ? kRedrawSeconds : kLineSeconds)) return;
  drawn_s_ = now;
  draw();
}

void Progress::end() {
  clear();
  active_ = false;
}

void Progress::message(const std::string& text) {
  const bool was_visible = visible_;
  clear();
  put(text + "\n");
  if (was_visible) draw();
}

void Progress::draw() {
  if (output_.terminal) {
    put(kClearLine + render_bar(view_, output_.width(), output_.color));
    visible_ = true;
  } else {
    put(render_line(view_) + "\n");
  }
}

void Progress::clear() {
  if (std::exchange(visible_, false)) put(kClearLine);
}

void Progress::put(const std::string& text) {
  if (output_.file == nullptr) return;
  std::fwrite(text.data(), 1, text.size(), output_.file);
  std::fflush(output_.file);
}

}  // namespace kinema::tracking
