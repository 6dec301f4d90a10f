#include "framework/data/cached_source.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "framework/data/shard.h"
#include "framework/data/shard_set.h"
#include "framework/media/grey_picture.h"
#include "kinema/error.h"
#include "tests/support/scratch.h"
#include "tests/unit/data/loader_setups.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using test_loader::epoch_of;

std::shared_ptr<FrameCache> cache_in(const test::Scratch& scratch, int short_side = 0,
                                     std::int64_t budget = std::int64_t{1} << 30) {
  return std::make_shared<FrameCache>(FrameCacheOptions{scratch / "cache", budget, false, short_side});
}

LoaderSetup with(LoaderSetup setup, std::shared_ptr<FrameCache> cache, TransformList transforms = {}) {
  auto recipe = std::make_shared<ClipRecipe>(*setup.recipe);
  recipe->cache = std::move(cache);
  if (!transforms.empty()) recipe->transforms = std::move(transforms);
  setup.recipe = std::move(recipe);
  return setup;
}

TransformList jitter() {
  auto side = std::make_shared<ShortSide>();
  side->size = {40, 70};
  auto crop = std::make_shared<RandomCrop>();
  crop->size = 32;
  return {side, crop, std::make_shared<Flip>(), std::make_shared<Normalise>()};
}

TEST(cached_source, batches_are_the_same_as_without_the_cache) {
  const test::Scratch scratch;
  const auto set = test_loader::video_items();
  const auto cache = cache_in(scratch);
  for (const std::int64_t workers : {0, 2}) {
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      const LoaderSetup plain = test_loader::train_setup(set, workers);
      EXPECT_EQ(epoch_of(with(plain, cache), epoch), epoch_of(plain, epoch));
      EXPECT_EQ(epoch_of(with(plain, cache, jitter()), epoch),
                epoch_of(with(plain, nullptr, jitter()), epoch));
    }
  }
  EXPECT_GT(cache->stats().hits, cache->stats().misses);
}

TEST(cached_source, the_second_time_nothing_is_opened) {
  const test::Scratch scratch;
  const std::string path = scratch / "a.mp4";
  test::ClipSpec spec;
  spec.frames = 70;
  test::make_clip(path, spec);
  const Source source{.video = path};
  const auto cache = cache_in(scratch);
  const std::vector<std::int64_t> frames = {0, 31, 32, 69, 3};
  const Geometry whole = Geometry::whole({64, 48});
  std::vector<std::uint8_t> first(5 * 64 * 48 * 3), second(first.size());
  open_cached(source, {}, nullptr, cache)->read(frames, whole, first.data());
  // Other bytes of the same size and time: who opens the file now, fails.
  const auto time = fs::last_write_time(path);
  test::spit(path, std::string(fs::file_size(path), 'x'));
  fs::last_write_time(path, time);
  EXPECT_ANY_THROW(open_source(source, {}));
  const auto again = open_cached(source, {}, nullptr, cache_in(scratch));
  EXPECT_EQ(again->frame_count(), 70);
  EXPECT_EQ(again->size(), (Size{64, 48}));
  again->read(frames, whole, second.data());
  EXPECT_EQ(first, second);
  for (std::size_t i = 0; i < frames.size(); ++i)
    EXPECT_EQ(test::frame_number_of(second.data() + i * 64 * 48 * 3, {64, 48}), frames[i]);
}

TEST(cached_source, a_changed_file_is_another_one) {
  const test::Scratch scratch;
  const std::string path = scratch / "a.mp4";
  const auto cache = cache_in(scratch);
  for (const int number : {0, 500}) {
    test::ClipSpec spec;
    spec.frames = 10;
    spec.first_number = number;
    test::make_clip(path, spec);
    fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::seconds(number));
    std::vector<std::uint8_t> pixels(64 * 48 * 3);
    open_cached({.video = path}, {}, nullptr, cache)
        ->read(std::vector<std::int64_t>{4}, Geometry::whole({64, 48}), pixels.data());
    EXPECT_EQ(test::frame_number_of(pixels.data(), {64, 48}), number + 4);
  }
}

TEST(cached_source, optical_flow_in_a_mirror_moves_the_other_way_from_the_cache_too) {
  const test::Scratch scratch;
  Source source;
  source.pattern = scratch / "x_%d.png";
  source.pattern_down = scratch / "y_%d.png";
  const Size size = {8, 6};
  for (int k = 1; k <= 5; ++k)
    for (const char* row : {"x", "y"}) {
      std::vector<std::uint8_t> grey(48);
      for (std::size_t i = 0; i < grey.size(); ++i)
        grey[i] = static_cast<std::uint8_t>(5 * i + 9 * static_cast<std::size_t>(k) + (*row == 'y' ? 77 : 0));
      media::write_grey(scratch / (row + ("_" + std::to_string(k)) + ".png"), grey.data(), size,
                        media::PictureFormat::png);
    }
  Geometry mirrored = Geometry::whole(size);
  mirrored.mirror();
  const std::vector<std::int64_t> frames = {4, 0};
  const auto cache = cache_in(scratch);
  for (const Geometry& geometry : {Geometry::whole(size), mirrored}) {
    std::vector<std::uint8_t> plain(2 * 48 * 3), cached(plain.size());
    open_source(source, {})->read(frames, geometry, plain.data());
    const auto open = open_cached(source, {}, nullptr, cache);
    EXPECT_EQ(open->channels(), kFlowChannels);
    open->read(frames, geometry, cached.data());
    EXPECT_EQ(plain, cached);
  }
  EXPECT_EQ(cache->stats().misses, 2) << "the facts and one block, once";
}

TEST(cached_source, frames_that_a_decoder_complains_about_are_never_kept) {
  const test::Scratch scratch;
  const std::string path = scratch / "a.mp4";
  test::ClipSpec spec;
  spec.frames = 60;
  spec.writer.gop = 60;
  test::make_clip(path, spec);
  std::string bytes = test::slurp(path);
  const std::size_t data = bytes.find("mdat");
  for (std::size_t i = data + 600; i < data + 660; ++i) bytes[i] = static_cast<char>(0x55);
  test::spit(path, bytes);
  const std::vector<std::int64_t> frames = {10, 20, 30};
  const auto cache = cache_in(scratch);
  std::vector<std::uint8_t> plain(3 * 64 * 48 * 3), cached(plain.size());
  open_source({.video = path}, {});  // its index is made
  const ReadFacts expected =
      open_source({.video = path}, {})->read(frames, Geometry::whole({64, 48}), plain.data());
  ASSERT_GT(expected.decoder_errors, 0) << "the file is not broken enough for this test";
  for (int time = 0; time < 2; ++time) {
    const ReadFacts facts = open_cached({.video = path}, {}, nullptr, cache)
                                ->read(frames, Geometry::whole({64, 48}), cached.data());
    EXPECT_EQ(facts.decoder_errors, expected.decoder_errors);
    EXPECT_EQ(plain, cached);
  }
}

TEST(cached_source, a_cache_too_small_for_one_block_still_delivers) {
  const test::Scratch scratch;
  const auto set = test_loader::video_items();
  const LoaderSetup plain = test_loader::train_setup(set, 1);
  EXPECT_EQ(epoch_of(with(plain, cache_in(scratch, 0, 1000)), 0), epoch_of(plain, 0));
}

// The window of a frame kept at half its size is the window of the frame, once more blurred.
TEST(cached_source, smaller_kept_frames_show_the_same_window) {
  const test::Scratch scratch;
  const std::string path = scratch / "a.mp4";
  test::ClipSpec spec;
  spec.frames = 8;
  spec.size = {128, 96};
  test::make_clip(path, spec);
  Geometry geometry = Geometry::whole({128, 96});
  geometry.resize({64, 48});
  geometry.crop(8, 4, {40, 40});
  std::vector<std::uint8_t> plain(40 * 40 * 3), cached(plain.size());
  const std::vector<std::int64_t> frame = {5};
  open_source({.video = path}, {})->read(frame, geometry, plain.data());
  open_cached({.video = path}, {}, nullptr, cache_in(scratch, 48))->read(frame, geometry, cached.data());
  EXPECT_EQ(plain, cached) << "the resize is the same one, done when the frame was kept";
}

TEST(cached_source, a_video_of_the_shards_is_another_one_than_its_original) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "in");
  test::make_clip(scratch / "in/a.mp4", {.frames = 12});
  ShardRun run;
  run.output = scratch / "shards";
  run.root = scratch / "in";
  ASSERT_EQ(shard_files(work_of_folder(scratch / "in", run.output), run).written, 1u);
  const auto shards = std::make_shared<const ShardSet>(scratch / "shards", "");
  const Source source{.video = scratch / "in/a.mp4"};
  const auto cache = cache_in(scratch);
  const Geometry whole = Geometry::whole({64, 48});
  const std::vector<std::int64_t> frame = {5};
  for (const auto& from : {std::shared_ptr<const ShardSet>(), shards}) {
    std::vector<std::uint8_t> plain(64 * 48 * 3), cached(plain.size());
    open_source(source, {}, from.get())->read(frame, whole, plain.data());
    for (int time = 0; time < 2; ++time) {
      open_cached(source, {}, from, cache)->read(frame, whole, cached.data());
      EXPECT_EQ(plain, cached);
    }
  }
  EXPECT_EQ(cache->stats().misses, 4) << "facts and a block of each";
}

TEST(cached_source, names_a_file_that_is_not_there) {
  const test::Scratch scratch;
  EXPECT_THAT(
      test::error_of([&] { open_cached({.video = scratch / "none.mp4"}, {}, nullptr, cache_in(scratch)); }),
      testing::HasSubstr("none.mp4"));
}

}  // namespace
}  // namespace kinema::data
