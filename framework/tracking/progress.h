#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <optional>
#include <string>

namespace kinema::tracking {

// What one redraw shows.
struct ProgressView {
  std::string label;  // "epoch 3/50"
  std::int64_t done = 0;
  std::int64_t total = 0;  // 0: unknown
  double per_second = 0;   // 0: unknown yet
  std::optional<double> loss;
  std::optional<double> data_wait;  // share of the time spent waiting for data, 0..1
};

// "epoch 3/50 [#####.....]  50/100  50% 12.3 it/s eta 00:04 loss 0.6931 data 3%", cut to fewer than `width`
// columns: the bar shrinks first, then goes, then the text is cut.
std::string render_bar(const ProgressView& view, int width, bool color);
// The same facts without the bar.
std::string render_line(const ProgressView& view);

// Where and how progress is shown.
struct ProgressOutput {
  std::FILE* file = nullptr;  // borrowed; null: silent
  bool terminal = false;      // redraw in place, else a plain line each 10 s
  bool color = false;
  std::function<int()> width;   // columns of the terminal, asked at each redraw
  std::function<double()> now;  // seconds, monotonic
};

// stderr as it is: a terminal unless TERM is "dumb"; NO_COLOR is honoured.
ProgressOutput stderr_output();

// The display of a loop [rank 0, one thread].
class Progress {
 public:
  explicit Progress(ProgressOutput output);
  ~Progress();  // clears the bar
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // A new loop; `done` of `total` are behind already (after a resume) and do not count for the speed.
  void begin(std::string label, std::int64_t total, std::int64_t done = 0);
  // `data_wait_s`: seconds of this loop spent waiting for data so far. Draws at most ten times a second on a
  // terminal, a plain line each 10 s elsewhere. Costs one clock read otherwise.
  void update(std::int64_t done, std::optional<double> loss = {}, std::optional<double> data_wait_s = {});
  // Takes the bar away.
  void end();
  // A line of text above the bar.
  void message(const std::string& text);

 private:
  void draw();
  void clear();
  void put(const std::string& text);

  ProgressOutput output_;
  ProgressView view_;
  std::int64_t first_ = 0;  // `done` at the start
  double begin_s_ = 0, drawn_s_ = 0;
  bool active_ = false, visible_ = false;
};

}  // namespace kinema::tracking
