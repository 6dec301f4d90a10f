#include "framework/data/temporal.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "kinema/error.h"
#include "tests/support/golden.h"
#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

using Frames = std::vector<std::int64_t>;
using config::Sampling;

TemporalRule rule(std::int64_t frames, std::int64_t stride, Sampling sampling, std::int64_t views = 1) {
  TemporalRule r;
  r.frames = frames;
  r.stride = stride;
  r.sampling = sampling;
  r.views = views;
  return r;
}

TemporalRule evaluated(TemporalRule r) {
  r.drawn = false;
  return r;
}

Frames clip(const TemporalRule& r, FrameRange range, std::int64_t view = 0, double fps = 25) {
  Random random(1, 0, 0, "clip");
  return clip_frames(r, range, fps, view, random);
}

TEST(temporal, views_are_spread_as_in_the_reference) {
  for (const auto& c : test::golden_cases("transforms/temporal.json")) {
    const TemporalRule r = rule(c["frames"], c["stride"], Sampling::uniform, c["views"]);
    EXPECT_EQ(clip(r, {0, c["frame_count"]}, c["view"]), c["indices"].get<Frames>()) << c;
  }
}

TEST(temporal, frames_around_a_centre_follow_the_reference) {
  for (const auto& c : test::golden_cases("transforms/ava_sequence.json")) {
    const std::int64_t stride = c["rate"], half = c["half_len"];
    const TemporalRule r = rule(2 * half / stride, stride, Sampling::random);
    EXPECT_EQ(frames_around(r, c["center"], c["num_frames"], 30), c["indices"].get<Frames>()) << c;
  }
}

TEST(temporal, first_view_starts_the_video_and_last_view_ends_it) {
  const TemporalRule r = rule(4, 3, Sampling::uniform, 10);
  EXPECT_EQ(clip(r, {0, 101}, 0), (Frames{0, 3, 6, 9}));
  EXPECT_EQ(clip(r, {0, 101}, 9), (Frames{91, 94, 97, 100}));
  for (std::int64_t i = 0; i < 10; ++i) EXPECT_EQ(clip(r, {0, 101}, i)[0], std::llround(i * 91.0 / 9)) << i;
}

TEST(temporal, views_in_the_middle_of_two_frames_go_to_the_even_one) {
  const TemporalRule r = rule(1, 1, Sampling::uniform, 3);
  EXPECT_EQ(clip(r, {0, 6}, 1), (Frames{2}));  // 2.5
  EXPECT_EQ(clip(r, {0, 8}, 1), (Frames{4}));  // 3.5
}

TEST(temporal, a_dense_clip_is_spread_over_a_window) {
  TemporalRule r = evaluated(rule(8, 1, Sampling::dense, 10));
  EXPECT_EQ(clip(r, {0, 300}, 0), (Frames{0, 8, 16, 24, 32, 40, 48, 56}));
  // numpy.linspace(0, 236, 10, dtype=int)
  const Frames starts = {0, 26, 52, 78, 104, 131, 157, 183, 209, 236};
  for (std::int64_t view = 0; view < 10; ++view)
    EXPECT_EQ(clip(r, {0, 300}, view)[0], starts[static_cast<std::size_t>(view)]) << view;
  r.views = 1;
  EXPECT_EQ(clip(r, {0, 300})[0], 118);
  r.window = 30;  // not a multiple of the frames: 3 apart
  EXPECT_EQ(clip(r, {10, 40}), (Frames{10, 13, 16, 19, 22, 25, 28, 31}));
  r.fps = 10;  // the window counts at this rate: 75 frames, 7.5 apart
  EXPECT_EQ(clip(r, {0, 75}), (Frames{0, 8, 15, 23, 30, 38, 45, 53}));
}

TEST(temporal, a_dense_window_is_drawn_anywhere_in_training) {
  TemporalRule r = rule(2, 1, Sampling::dense);
  r.window = 8;
  std::set<std::int64_t> starts;
  for (std::uint64_t i = 0; i < 200; ++i) {
    Random random(7, 0, i, "clip");
    const Frames frames = clip_frames(r, {0, 12}, 25, 0, random);
    EXPECT_EQ(frames[1] - frames[0], 4);
    starts.insert(frames[0]);
  }
  EXPECT_EQ(starts, (std::set<std::int64_t>{0, 1, 2, 3, 4}));
}

TEST(temporal, segments_give_a_frame_each) {
  TemporalRule r = evaluated(rule(3, 1, Sampling::segments));
  EXPECT_EQ(clip(r, {0, 30}), (Frames{5, 15, 25}));
  EXPECT_EQ(clip(r, {100, 110}), (Frames{101, 105, 108}));
  EXPECT_EQ(clip(r, {0, 2}), (Frames{0, 1, 1}));
  EXPECT_EQ(clip(r, {0, 1}), (Frames{0, 0, 0}));
  r.views = 2;
  EXPECT_EQ(clip(r, {0, 30}, 0), (Frames{2, 12, 22}));
  EXPECT_EQ(clip(r, {0, 30}, 1), (Frames{7, 17, 27}));
  r.drawn = true;
  std::set<std::int64_t> seconds;
  for (std::uint64_t i = 0; i < 300; ++i) {
    Random random(7, 0, i, "clip");
    const Frames frames = clip_frames(r, {0, 10}, 25, 0, random);
    EXPECT_THAT(frames, testing::ElementsAre(testing::Lt(3), testing::AllOf(testing::Ge(3), testing::Lt(6)),
                                             testing::AllOf(testing::Ge(6), testing::Lt(10))));
    seconds.insert(frames[1]);
  }
  EXPECT_EQ(seconds, (std::set<std::int64_t>{3, 4, 5}));
}

TEST(temporal, frames_beyond_the_end_are_the_last_one_or_start_over) {
  TemporalRule r = rule(5, 2, Sampling::uniform);
  EXPECT_EQ(clip(r, {10, 15}), (Frames{10, 12, 14, 14, 14}));
  r.beyond = config::Beyond::loop;
  EXPECT_EQ(clip(r, {10, 15}), (Frames{10, 12, 14, 11, 13}));
  EXPECT_EQ(clip(r, {0, 1}), (Frames{0, 0, 0, 0, 0}));
  TemporalRule dense = evaluated(rule(4, 1, Sampling::dense, 2));
  dense.beyond = config::Beyond::loop;
  EXPECT_EQ(clip(dense, {0, 40}, 1), (Frames{0, 16, 32, 8}));
}

TEST(temporal, no_rule_leaves_the_video_however_short_it_is) {
  using config::FrameRule;
  for (const FrameRule kind :
       {FrameRule::kinema, FrameRule::pyslowfast, FrameRule::pyslowfast_offset, FrameRule::resnets3d})
    for (const Sampling s :
         {Sampling::random, Sampling::center, Sampling::uniform, Sampling::dense, Sampling::segments})
      for (const bool drawn : {false, true})
        for (std::int64_t count = 1; count < 40; ++count)
          for (std::int64_t view = 0; view < 3; ++view) {
            TemporalRule r = rule(7, 3, s, 3);
            r.rule = kind;
            r.drawn = drawn;
            r.window = 16;
            const Frames frames = clip(r, {5, 5 + count}, view, 0);  // no rate known, none needed
            ASSERT_EQ(frames.size(), 7u);
            ASSERT_THAT(frames, testing::Each(testing::AllOf(testing::Ge(5), testing::Lt(5 + count))))
                << static_cast<int>(kind) << " " << static_cast<int>(s) << " " << count;
          }
}

TEST(temporal, a_single_view_and_center_take_the_middle) {
  EXPECT_EQ(clip(rule(3, 2, Sampling::uniform), {0, 16}), (Frames{5, 7, 9}));
  EXPECT_EQ(clip(rule(3, 2, Sampling::center, 4), {0, 16}, 3), (Frames{5, 7, 9}));
}

TEST(temporal, random_starts_reach_both_ends_and_nothing_beyond) {
  const TemporalRule r = rule(3, 2, Sampling::random);
  std::set<std::int64_t> starts;
  for (std::uint64_t i = 0; i < 500; ++i) {
    Random random(7, 0, i, "clip");
    const Frames frames = clip_frames(r, {100, 112}, 25, 0, random);
    EXPECT_EQ(frames[2] - frames[0], 4);
    starts.insert(frames[0]);
  }
  EXPECT_EQ(*starts.begin(), 100);
  EXPECT_EQ(*starts.rbegin(), 107);  // 107, 109, 111
  EXPECT_EQ(starts.size(), 8u);
}

TEST(temporal, a_short_video_repeats_its_last_frame) {
  for (const Sampling s : {Sampling::random, Sampling::center, Sampling::uniform})
    EXPECT_EQ(clip(rule(5, 2, s, 2), {10, 15}, 1), (Frames{10, 12, 14, 14, 14}));
  EXPECT_EQ(clip(rule(3, 1, Sampling::random), {0, 1}), (Frames{0, 0, 0}));
}

TEST(temporal, a_rate_is_taken_from_the_files_own) {
  TemporalRule r = rule(5, 1, Sampling::center);
  r.fps = 10;
  EXPECT_EQ(frame_offsets(r, 25), (Frames{0, 3, 5, 8, 10}));  // 0, 2.5, 5, 7.5, 10
  EXPECT_EQ(frame_offsets(r, 10), (Frames{0, 1, 2, 3, 4}));
  EXPECT_EQ(frame_offsets(r, 5), (Frames{0, 1, 1, 2, 2}));  // slower files repeat frames
  r.stride = 2;
  EXPECT_EQ(frame_offsets(r, 30), (Frames{0, 6, 12, 18, 24}));
  EXPECT_THROW(frame_offsets(r, 0), Error);
}

TEST(temporal, spans_of_frames_and_seconds_bound_the_clip) {
  EXPECT_EQ(frame_range({}, 50, 25), (FrameRange{0, 50}));
  EXPECT_EQ(frame_range({Span::Unit::frames, 10, 20}, 50, 25), (FrameRange{10, 20}));
  EXPECT_EQ(frame_range({Span::Unit::frames, -5, 1e18}, 50, 25), (FrameRange{0, 50}));
  EXPECT_EQ(frame_range({Span::Unit::seconds, 0.4, 1.2}, 50, 25), (FrameRange{10, 30}));
  EXPECT_EQ(frame_range({Span::Unit::centre, 7, 0}, 50, 25), (FrameRange{0, 50}));
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(clip(rule(4, 2, Sampling::random), {10, 20}),
                testing::Each(testing::AllOf(testing::Ge(10), testing::Lt(20))));
}

TEST(temporal, says_when_nothing_is_left_of_a_span) {
  const auto message = [](const Span& span, std::int64_t count, double fps) {
    try {
      frame_range(span, count, fps);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  EXPECT_THAT(message({}, 0, 25), testing::HasSubstr("the video has no frames"));
  EXPECT_THAT(
      message({Span::Unit::frames, 60, 70}, 50, 25),
      testing::HasSubstr("nothing is left of the item's span: expected frames within 0..50, got 60 to 70"));
  EXPECT_THAT(
      message({Span::Unit::seconds, 0, 1}, 50, 0),
      testing::HasSubstr("a span in seconds needs the file's frame rate: expected a positive number, got 0"));
}

TEST(temporal, defaults_are_random_in_training_and_spread_in_evaluation) {
  config::ClipOptions clip_options;
  clip_options.temporal_views = 10;
  clip_options.clips_per_video = 3;
  EXPECT_EQ(temporal_rule(clip_options, true).sampling, Sampling::random);
  EXPECT_EQ(temporal_rule(clip_options, true).views, 3);
  EXPECT_EQ(temporal_rule(clip_options, false).sampling, Sampling::uniform);
  EXPECT_EQ(temporal_rule(clip_options, false).views, 10);
  EXPECT_TRUE(temporal_rule(clip_options, true).drawn);
  EXPECT_FALSE(temporal_rule(clip_options, false).drawn);
  clip_options.sampling = Sampling::center;
  EXPECT_EQ(temporal_rule(clip_options, true).sampling, Sampling::center);
}

TEST(temporal, a_centre_is_a_frame_or_a_second_of_the_file) {
  EXPECT_EQ(centre_frame({Span::Unit::centre, 7, 0}, 50, 0), 7);
  EXPECT_EQ(centre_frame({Span::Unit::centre_seconds, 1.5, 0}, 50, 25), 38) << "37.5 is rounded";
  EXPECT_EQ(centre_frame({Span::Unit::centre_seconds, 2, 0}, 50, 29.97), 49) << "one frame too short";
  EXPECT_EQ(centre_frame({Span::Unit::centre, 50, 0}, 50, 25), 49);
  const auto message = [](const Span& span, double fps) {
    return test::error_of([&] { centre_frame(span, 50, fps); });
  };
  EXPECT_THAT(
      message({Span::Unit::centre, 75, 0}, 25),
      testing::HasSubstr("frames: the centre lies outside the video: expected a frame within 0..49, got 75"));
  EXPECT_THAT(message({Span::Unit::centre, -1, 0}, 25), testing::HasSubstr("got -1"));
  EXPECT_THAT(message({Span::Unit::centre_seconds, 1, 0}, 0),
              testing::HasSubstr("a centre in seconds needs the file's frame rate"));
}

}  // namespace
}  // namespace kinema::data
