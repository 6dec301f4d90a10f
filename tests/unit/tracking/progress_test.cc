#include "framework/tracking/progress.h"

#include <gmock/gmock.h>

#include "framework/tracking/clock.h"

namespace kinema::tracking {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

const ProgressView kView{"epoch 3/50", 50, 100, 12.5, 0.69314, 0.031};

TEST(progress_bar, shows_all_facts_within_the_width) {
  EXPECT_EQ(render_bar(kView, 80, false),
            "epoch 3/50 [########.......] 50/100 50% 12.5 it/s eta 00:04 loss 0.6931 data 3%");
}

TEST(progress_bar, never_reaches_the_last_column) {
  for (int width = 1; width < 200; ++width)
    EXPECT_LT(render_bar(kView, width, false).size(), static_cast<std::size_t>(std::max(width, 2))) << width;
}

TEST(progress_bar, leaves_the_bar_out_on_a_narrow_terminal) {
  EXPECT_EQ(render_bar(kView, 20, false), "epoch 3/50 50/100 5");
}

TEST(progress_bar, counts_characters_not_bytes_and_cuts_none_in_half) {
  ProgressView view = kView;
  view.label = "\xc3\xa4\xc3\xb6\xc3\xbc";
  EXPECT_EQ(render_bar(view, 3, false), "\xc3\xa4\xc3\xb6");
}

TEST(progress_bar, colour_is_only_there_when_wanted) {
  EXPECT_THAT(render_bar(kView, 100, true), HasSubstr("\x1b[32m"));
  EXPECT_THAT(render_bar(kView, 100, false), Not(HasSubstr("\x1b")));
}

TEST(progress_bar, control_characters_of_a_name_stay_out) {
  ProgressView view = kView;
  view.label = "a\x1b[2Jb\n";
  EXPECT_THAT(render_bar(view, 100, false), StartsWith("a?[2Jb? ["));
}

TEST(progress_line, copes_with_nothing_known_yet) {
  EXPECT_EQ(render_line({"scan", 7, 0, 0, {}, {}}), "scan 7");
  EXPECT_EQ(render_line({"eval", 0, 4, 0.25, {}, {}}), "eval 0/4 0% 4.0 s/it eta 00:16");
  EXPECT_EQ(render_line({"over", 9, 4, 1, {}, {}}), "over 9/4 100% 1.0 it/s eta 00:00");
}

// A display over a memory file and a clock that the test turns.
struct Display {
  explicit Display(bool terminal) {
    output.file = ::open_memstream(&text, &size);
    output.terminal = terminal;
    output.width = [] { return 60; };
    output.now = [this] { return time; };
  }
  ~Display() {
    std::fclose(output.file);
    std::free(text);
  }
  std::string shown() const {
    std::fflush(output.file);
    return std::string(text, size);
  }
  long count(const std::string& what) const {
    long n = 0;
    const std::string all = shown();
    for (std::size_t at = all.find(what); at != std::string::npos; at = all.find(what, at + 1)) ++n;
    return n;
  }

  char* text = nullptr;
  std::size_t size = 0;
  double time = 100;
  ProgressOutput output;
};

TEST(progress, redraws_a_terminal_at_most_ten_times_a_second) {
  Display display(true);
  Progress progress(display.output);
  progress.begin("x", 1000);
  for (int i = 1; i <= 1000; ++i) {
    display.time += 0.001;
    progress.update(i);
  }
  EXPECT_GE(display.count("\r"), 9);
  EXPECT_LE(display.count("\r"), 11);
}

TEST(progress, clears_its_line_at_the_end_and_around_messages) {
  Display display(true);
  Progress progress(display.output);
  progress.begin("x", 10);
  progress.message("hello");
  progress.end();
  progress.end();
  const std::string clear = "\r\x1b[K";
  const std::string bar = clear + render_bar({"x", 0, 10, 0, {}, {}}, 60, false);
  EXPECT_EQ(display.shown(), bar + clear + "hello\n" + bar + clear);
}

TEST(progress, elsewhere_writes_one_plain_line_each_ten_seconds) {
  Display display(false);
  Progress progress(display.output);
  progress.begin("x", 1000);
  for (int i = 1; i <= 350; ++i) {
    display.time += 0.125;
    progress.update(i, 0.5, 0.0125 * i);
  }
  progress.end();
  EXPECT_EQ(display.count("\n"), 4);
  EXPECT_THAT(display.shown(), StartsWith("x 80/1000 8% 8.0 it/s eta 01:55 loss 0.5000 data 10%\n"));
  EXPECT_THAT(display.shown(), Not(HasSubstr("\x1b")));
  EXPECT_THAT(display.shown(), Not(HasSubstr("\r")));
}

TEST(progress, short_loops_in_a_row_share_the_ten_seconds) {
  Display display(false);
  Progress progress(display.output);
  for (int loop = 0; loop < 10; ++loop) {
    progress.begin("x", 3);
    for (int i = 1; i <= 3; ++i) {
      display.time += 0.9;
      progress.update(i);
    }
    progress.end();
  }
  EXPECT_EQ(display.count("\n"), 2);
}

TEST(progress, steps_done_before_a_resume_do_not_count_for_the_speed) {
  Display display(false);
  Progress progress(display.output);
  progress.begin("x", 200, 100);
  display.time += 10;
  progress.update(110);
  EXPECT_THAT(display.shown(), HasSubstr("110/200 55% 1.0 it/s eta 01:30"));
}

TEST(progress, without_a_file_is_silent) {
  Progress progress(ProgressOutput{});
  progress.begin("x", 2);
  progress.update(1);
  progress.message("y");
}

TEST(progress, no_color_is_honoured) {
  ::setenv("NO_COLOR", "1", 1);
  EXPECT_FALSE(stderr_output().color);
  ::unsetenv("NO_COLOR");
}

TEST(clock, texts_are_utc) {
  EXPECT_EQ(utc_text(1769860800), "2026-01-31T12:00:00Z");
  EXPECT_EQ(utc_file_name(1769860800), "20260131-120000");
  EXPECT_EQ(duration_text(3723), "1:02:03");
  EXPECT_EQ(duration_text(59.6), "01:00");
  EXPECT_EQ(duration_text(-1), "--:--");
  EXPECT_GT(peak_rss_mb(), 1);
}

}  // namespace
}  // namespace kinema::tracking
