#include "framework/data/frame_rules.h"

#include <gmock/gmock.h>

#include <set>

#include "kinema/error.h"
#include "tests/support/golden.h"

namespace kinema::data {
namespace {

using Frames = std::vector<std::int64_t>;
using config::FrameRule;
using config::Sampling;

TemporalRule rule(FrameRule kind, Sampling sampling, std::int64_t frames, std::int64_t stride,
                  std::int64_t views = 1) {
  TemporalRule r;
  r.frames = frames;
  r.stride = stride;
  r.sampling = sampling;
  r.views = views;
  r.rule = kind;
  return r;
}

Frames clip(const TemporalRule& r, std::int64_t count, std::int64_t view = 0, double fps = 25,
            std::uint64_t draw = 0) {
  Random random(1, 0, draw, "clip");
  return clip_frames(r, {0, count}, fps, view, random);
}

// The reference says how long the clip is: 64 and 32 frames, or 64 of 30 a second in a file of 25.
TemporalRule reference_rule(const nlohmann::json& c, FrameRule kind, Sampling sampling, std::int64_t views) {
  const std::int64_t frames = c["num_samples"];
  const double length = c["clip_size"];
  TemporalRule r = rule(kind, sampling, frames, 8, views);
  if (length == 53.333333333333336)
    r.fps = 30;
  else
    r.stride = static_cast<std::int64_t>(length) / frames;
  return r;
}

TEST(pyslowfast_frames, equal_the_reference_in_every_view_with_and_without_offset) {
  int compared = 0;
  for (const auto& c : test::golden_cases("transforms/pyslowfast_temporal.json")) {
    if (c["op"] != "uniform") continue;
    const FrameRule kind = c["use_offset"] ? FrameRule::pyslowfast_offset : FrameRule::pyslowfast;
    const TemporalRule r = reference_rule(c, kind, Sampling::uniform, c["num_clips"]);
    EXPECT_EQ(clip(r, static_cast<std::int64_t>(c["video_size"].get<double>()), c["clip_idx"]),
              c["indices"].get<Frames>())
        << c;
    ++compared;
  }
  EXPECT_EQ(compared, 140);
}

TEST(pyslowfast_frames, equal_the_reference_from_its_random_starts_on) {
  int compared = 0;
  for (const auto& c : test::golden_cases("transforms/pyslowfast_temporal.json")) {
    if (c["op"] != "random") continue;
    const std::int64_t count = static_cast<std::int64_t>(c["video_size"].get<double>());
    EXPECT_EQ(even_frames(c["drawn_start"], c["clip_size"], c["num_samples"], count),
              c["indices"].get<Frames>())
        << c;
    ++compared;
  }
  EXPECT_EQ(compared, 15);
}

TEST(pyslowfast_frames, start_anywhere_between_the_first_and_the_last_place) {
  const TemporalRule r = rule(FrameRule::pyslowfast, Sampling::random, 4, 2);
  for (std::uint64_t draw = 0; draw < 100; ++draw) {
    Random random(1, 0, draw, "clip");
    EXPECT_EQ(clip(r, 20, 0, 25, draw), even_frames(random.uniform() * 12, 8, 4, 20)) << draw;
  }
}

TEST(pyslowfast_frames, of_segments_are_drawn_in_training_and_in_the_middle_in_evaluation) {
  TemporalRule r = rule(FrameRule::pyslowfast, Sampling::segments, 4, 1);
  r.drawn = false;
  EXPECT_EQ(clip(r, 12), (Frames{1, 4, 7, 9}));  // 2.75 each: 0-3, 3-6, 6-8, 8-11; halves to the even number
  EXPECT_EQ(clip(r, 1), (Frames{0, 0, 0, 0}));
  r.drawn = true;
  std::set<std::int64_t> seconds;
  for (std::uint64_t draw = 0; draw < 200; ++draw) {
    const Frames frames = clip(r, 12, 0, 25, draw);
    EXPECT_THAT(frames, testing::ElementsAre(testing::Le(3), testing::AllOf(testing::Ge(3), testing::Le(6)),
                                             testing::AllOf(testing::Ge(6), testing::Le(8)),
                                             testing::AllOf(testing::Ge(8), testing::Le(11))));
    seconds.insert(frames[1]);
  }
  EXPECT_THAT(seconds, testing::ElementsAre(3, 4, 5, 6));
}

TEST(pyslowfast_frames, of_a_rate_need_the_files_own) {
  TemporalRule r = rule(FrameRule::pyslowfast, Sampling::uniform, 4, 2);
  r.fps = 30;
  EXPECT_THROW(clip(r, 20, 0, 0), Error);
  r.fps.reset();
  EXPECT_EQ(clip(r, 1, 0, 0), (Frames{0, 0, 0, 0}));
}

// The reference counts from 1.
Frames from_0(const nlohmann::json& indices) {
  Frames frames = indices.get<Frames>();
  for (std::int64_t& frame : frames) --frame;
  return frames;
}

TEST(resnets3d_frames, equal_the_references_centre_and_first_crops) {
  int compared = 0;
  for (const auto& c : test::golden_cases("transforms/hara_temporal.json")) {
    const std::string op = c["op"];
    const std::int64_t stride = op == "subsampling_2_then_center" ? 2 : 1;
    if (op == "center_crop" || stride == 2) {
      const TemporalRule r = rule(FrameRule::resnets3d, Sampling::center, c["size"], stride);
      EXPECT_EQ(clip(r, c["n"]), from_0(c["indices"])) << c;
    } else if (op == "begin_crop") {
      EXPECT_EQ(clip(rule(FrameRule::resnets3d, Sampling::uniform, c["size"], 1, 3), c["n"], 0),
                from_0(c["indices"]))
          << c;
    } else {
      continue;
    }
    ++compared;
  }
  EXPECT_EQ(compared, 15);
}

TEST(resnets3d_frames, equal_the_references_even_crops) {
  for (const auto& c : test::golden_cases("transforms/hara_temporal.json")) {
    if (c["op"] != "even_crop") continue;
    const TemporalRule r = rule(FrameRule::resnets3d, Sampling::uniform, c["size"], 1, c["n_samples"]);
    const std::size_t there = c["clips"].size();
    for (std::size_t view = 0; view < static_cast<std::size_t>(r.views); ++view)
      EXPECT_EQ(clip(r, c["n"], static_cast<std::int64_t>(view)),
                from_0(c["clips"][std::min(view, there - 1)]))
          << c << " view " << view;
  }
}

TEST(resnets3d_frames, are_the_references_from_every_place_that_it_draws_and_no_other) {
  for (const auto& c : test::golden_cases("transforms/hara_temporal.json")) {
    if (c["op"] != "random_crop") continue;
    const TemporalRule r = rule(FrameRule::resnets3d, Sampling::random, c["size"], 1);
    std::set<Frames> drawn;
    for (std::uint64_t draw = 0; draw < 1000; ++draw) drawn.insert(clip(r, c["n"], 0, 25, draw));
    EXPECT_EQ(drawn.size(), c["upper_inclusive"].get<std::size_t>() + 1) << c;
    EXPECT_TRUE(drawn.contains(from_0(c["indices"]))) << c;
  }
}

}  // namespace
}  // namespace kinema::data
