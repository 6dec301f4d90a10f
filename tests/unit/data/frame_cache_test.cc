#include "framework/data/frame_cache.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <thread>
#include <vector>

#include "framework/data/cache_folder.h"
#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::uint8_t>;

constexpr Size kSize = {40, 30};
constexpr std::int64_t kFrames = 4;

// Contents that tell which block they are.
Bytes block(int number) {
  Bytes bytes(static_cast<std::size_t>(kFrames * kSize.width * kSize.height * 3));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<std::uint8_t>(i * 7 + static_cast<std::size_t>(number) * 31);
  return bytes;
}

const std::int64_t kBlockBytes = static_cast<std::int64_t>(block(0).size()) + 4096;

FrameCacheOptions options(const test::Scratch& scratch, std::int64_t budget = 1 << 30) {
  FrameCacheOptions options;
  options.folder = scratch / "cache";
  options.budget_bytes = budget;
  return options;
}

bool put(FrameCache& cache, int number, const std::string& stamp = "video") {
  return cache.put(stamp, number, kFrames, kSize, block(number));
}

bool holds(FrameCache& cache, int number, const std::string& stamp = "video") {
  const auto pixels = cache.find(stamp, number, kFrames, kSize);
  const Bytes expected = block(number);
  return pixels != nullptr && std::equal(expected.begin(), expected.end(), pixels.get());
}

std::vector<fs::path> blocks_in(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& file : fs::directory_iterator(folder))
    if (file.path().extension() != ".facts" && file.file_size() > 4096) files.push_back(file.path());
  return files;
}

TEST(frame_cache, gives_back_what_was_put_and_nothing_else) {
  const test::Scratch scratch;
  FrameCache cache(options(scratch));
  EXPECT_FALSE(holds(cache, 0));
  EXPECT_TRUE(put(cache, 0));
  EXPECT_TRUE(holds(cache, 0));
  EXPECT_FALSE(holds(cache, 1));
  EXPECT_FALSE(holds(cache, 0, "the video at another time"));
  EXPECT_EQ(cache.find("video", 0, kFrames - 1, kSize), nullptr);
  EXPECT_EQ(cache.find("video", 0, kFrames, {kSize.height, kSize.width}), nullptr);
  EXPECT_EQ(cache.stats().bytes, kBlockBytes);
}

TEST(frame_cache, is_shared_by_all_that_use_the_folder) {
  const test::Scratch scratch;
  FrameCache one(options(scratch)), other(options(scratch));
  EXPECT_TRUE(put(one, 3));
  EXPECT_TRUE(holds(other, 3));
  EXPECT_TRUE(put(other, 3)) << "that it is there already is no failure";
  EXPECT_EQ(other.stats().bytes, kBlockBytes);
  const FrameCache::Facts facts = {{320, 240}, 77, 29.97, 3};
  EXPECT_EQ(other.facts("video"), std::nullopt);
  one.put_facts("video", facts);
  EXPECT_EQ(other.facts("video"), facts);
}

TEST(frame_cache, stays_in_its_budget_and_drops_what_was_used_longest_ago) {
  const test::Scratch scratch;
  constexpr int kRoom = 10;
  FrameCache cache(options(scratch, kRoom * kBlockBytes));
  for (int i = 0; i < kRoom; ++i) ASSERT_TRUE(put(cache, i));
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& file : blocks_in(scratch / "cache")) {
    const int number = std::stoi(file.extension().string().substr(1));
    fs::last_write_time(file, now - std::chrono::seconds(100 - number));
  }
  ASSERT_TRUE(put(cache, kRoom));
  EXPECT_FALSE(holds(cache, 0));
  for (int i = 2; i <= kRoom; ++i) EXPECT_TRUE(holds(cache, i)) << i;
  for (int i = 0; i < 40; ++i) {
    put(cache, 100 + i);
    ASSERT_LE(cache.stats().bytes, kRoom * kBlockBytes);
    ASSERT_LE(static_cast<int>(blocks_in(scratch / "cache").size()), kRoom);
  }
  EXPECT_GE(cache.stats().evicted, 31);
}

TEST(frame_cache, a_use_by_another_process_keeps_a_block_alive) {
  const test::Scratch scratch;
  FrameCache cache(options(scratch, 3 * kBlockBytes));
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(put(cache, i));
  const auto now = fs::file_time_type::clock::now();
  for (const fs::path& file : blocks_in(scratch / "cache"))
    fs::last_write_time(file, now - std::chrono::hours(1));
  FrameCache other(options(scratch, 3 * kBlockBytes));
  EXPECT_TRUE(holds(other, 0));
  ASSERT_TRUE(put(cache, 3));
  EXPECT_TRUE(holds(other, 0));
}

TEST(frame_cache, refuses_a_block_larger_than_the_budget) {
  const test::Scratch scratch;
  FrameCache cache(options(scratch, kBlockBytes - 1));
  EXPECT_FALSE(put(cache, 0));
  EXPECT_EQ(cache.stats().refused, 1);
  EXPECT_TRUE(blocks_in(scratch / "cache").empty());
}

TEST(frame_cache, finds_every_flipped_byte_and_cut_and_forgets_the_block) {
  const test::Scratch scratch;
  { ASSERT_TRUE(put(*std::make_unique<FrameCache>(options(scratch)), 0)); }
  const fs::path file = blocks_in(scratch / "cache").at(0);
  const std::string good = test::slurp(file);
  std::int64_t damaged = 0;
  std::vector<std::size_t> places = {0, 8, 20, 30, 50, 4096, good.size() / 2, good.size() - 1};
  for (const std::size_t at : places) {
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ 0x10);
    test::spit(file, bad);
    FrameCache cache(options(scratch));
    EXPECT_FALSE(holds(cache, 0)) << at;
    damaged += cache.stats().damaged;
    EXPECT_FALSE(fs::exists(file)) << at;
  }
  for (const std::size_t length : {std::size_t{0}, std::size_t{100}, std::size_t{4096}, good.size() - 1}) {
    test::spit(file, good.substr(0, length));
    FrameCache cache(options(scratch));
    EXPECT_FALSE(holds(cache, 0)) << length;
    damaged += cache.stats().damaged;
  }
  EXPECT_EQ(damaged, static_cast<std::int64_t>(places.size()) + 4);
}

TEST(frame_cache, a_writer_killed_at_any_moment_leaves_nothing_that_is_read) {
  const test::Scratch scratch;
  for (int round = 0; round < 12; ++round) {
    const pid_t child = ::fork();
    if (child == 0) {
      FrameCache cache(options(scratch, 40 * kBlockBytes));
      for (int i = 0;; ++i) put(cache, i % 100);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(5 + 7 * round));
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    FrameCache cache(options(scratch, 40 * kBlockBytes));
    for (int i = 0; i < 100; ++i) {
      const auto pixels = cache.find("video", i, kFrames, kSize);
      EXPECT_TRUE(pixels == nullptr || holds(cache, i));
    }
    EXPECT_EQ(cache.stats().damaged, 0);
    EXPECT_LE(cache.stats().bytes, 40 * kBlockBytes);
  }
}

TEST(frame_cache, removes_what_a_killed_writer_left) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "cache");
  ::chmod((scratch / "cache").c_str(), 0700);
  test::spit(scratch / "cache/.old.1.0", "half");
  test::spit(scratch / "cache/.new.1.0", "half");
  fs::last_write_time(scratch / "cache/.old.1.0", fs::file_time_type::clock::now() - std::chrono::hours(1));
  const FrameCache cache(options(scratch));
  EXPECT_FALSE(fs::exists(scratch / "cache/.old.1.0"));
  EXPECT_TRUE(fs::exists(scratch / "cache/.new.1.0")) << "its writer may be at it";
}

TEST(frame_cache, a_full_disk_is_no_failure) {
  const test::Scratch scratch;
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit small = {4500, 4500};
    ::setrlimit(RLIMIT_FSIZE, &small);
    FrameCache cache(options(scratch));
    ::_exit(put(cache, 0) || holds(cache, 0) || cache.stats().refused != 1 || cache.stats().bytes != 0);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_TRUE(blocks_in(scratch / "cache").empty());
}

TEST(frame_cache, the_last_user_of_a_folder_in_memory_removes_it) {
  const test::Scratch scratch;
  FrameCacheOptions wanted = options(scratch);
  wanted.remove_when_unused = true;
  auto one = std::make_unique<FrameCache>(wanted);
  ASSERT_TRUE(put(*one, 0));
  { const FrameCache other(wanted); }
  EXPECT_TRUE(holds(*one, 0));
  one = nullptr;
  EXPECT_FALSE(fs::exists(scratch / "cache"));
}

TEST(frame_cache, processes_that_come_while_others_remove_the_folder_get_one_that_works) {
  const test::Scratch scratch;
  FrameCacheOptions wanted = options(scratch);
  wanted.remove_when_unused = true;
  std::vector<pid_t> children;
  for (int child = 0; child < 3; ++child) {
    children.push_back(::fork());
    if (children.back() != 0) continue;
    bool well = true;
    for (int i = 0; i < 150 && well; ++i) {
      FrameCache cache(wanted);
      put(cache, i);  // another one may have it
      well = holds(cache, i);
    }
    ::_exit(well ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_FALSE(fs::exists(scratch / "cache"));
}

TEST(frame_cache, refuses_a_folder_that_others_may_write_to_or_that_is_a_link) {
  const test::Scratch scratch;
  fs::create_directory(scratch / "cache");
  ::chmod((scratch / "cache").c_str(), 0777);
  EXPECT_THAT(test::error_of([&] { FrameCache cache(options(scratch)); }),
              testing::HasSubstr("others may write to the cache: expected a folder of our own"));
  ::chmod((scratch / "cache").c_str(), 0700);
  fs::create_directory_symlink(scratch / "cache", scratch / "link");
  FrameCacheOptions linked = options(scratch);
  linked.folder = scratch / "link";
  EXPECT_THAT(test::error_of([&] { FrameCache cache(linked); }), testing::HasSubstr("cannot open the cache"));
}

TEST(frame_cache, keeps_large_frames_at_the_short_side_that_was_asked_for) {
  const test::Scratch scratch;
  FrameCacheOptions wanted = options(scratch);
  wanted.short_side = 128;
  const FrameCache cache(wanted);
  EXPECT_EQ(cache.kept_size({340, 256}), (Size{170, 128}));
  EXPECT_EQ(cache.kept_size({256, 340}), (Size{128, 170}));
  EXPECT_EQ(cache.kept_size({160, 120}), (Size{160, 120}));
}

}  // namespace
}  // namespace kinema::data
