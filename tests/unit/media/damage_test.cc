// Damaged files: whatever comes out, it is a typed error or exactly what a linear decode delivers.
#include <gtest/gtest.h>

#include "kinema/error.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

struct Outcome {
  int refused = 0, scanned = 0, decoded = 0, wrong = 0;
};

Outcome damage(const test::Folder& folder, const std::string& file, const test::ClipSpec& spec, int rounds,
               const Limits& limits = {}) {
  const std::string whole = folder / file;
  test::make_clip(whole, spec);
  const std::string bytes = test::bytes_of(whole);
  Outcome outcome;
  for (int round = 0; round < rounds; ++round) {
    std::mt19937 random(static_cast<unsigned>(round));
    std::string broken = bytes;
    const int kind = round % 3;
    const std::size_t at = random() % bytes.size();
    if (kind == 0) broken[at] = static_cast<char>(random());
    if (kind == 1) broken = bytes.substr(0, at);
    if (kind == 2) {
      for (std::size_t i = at; i < std::min(at + 40, bytes.size()); ++i)
        broken[i] = static_cast<char>(random());
    }
    const std::string path = folder / ("broken_" + file);
    test::write_bytes(path, broken);
    try {
      Video video = Video::open(path, limits);
      const int different = test::differences(video, path, static_cast<unsigned>(round));
      if (different > 0) ADD_FAILURE() << file << " round " << round << ": " << different << " different";
      outcome.wrong += different > 0;
      ++(video.index().decoded ? outcome.decoded : outcome.scanned);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << error.what();
      ++outcome.refused;
    }
  }
  return outcome;
}

test::ClipSpec spec_for(const std::string& codec, int b_frames) {
  test::ClipSpec spec;
  spec.frames = 30;
  spec.writer.codec = codec;
  spec.writer.b_frames = b_frames;
  spec.writer.gop = 10;
  return spec;
}

constexpr int kRounds = 45;

TEST(damage, broken_h264_is_refused_or_read_as_a_linear_decode_reads_it) {
  const test::Folder folder;
  EXPECT_EQ(damage(folder, "a.mp4", spec_for("libx264", 2), kRounds).wrong, 0);
  EXPECT_EQ(damage(folder, "a.mkv", spec_for("libx264", 2), kRounds).wrong, 0);
}

// Damage inside a picture of these codecs may cost the picture, which only a decode shows.
TEST(damage, other_broken_files_are_read_so_when_indexed_by_decoding) {
  const test::Folder folder;
  Limits limits;
  limits.index_by_decoding = true;
  EXPECT_EQ(damage(folder, "a.avi", spec_for("mpeg4", 2), kRounds, limits).wrong, 0);
  EXPECT_EQ(damage(folder, "a.webm", spec_for("libvpx", 0), kRounds, limits).wrong, 0);
  EXPECT_EQ(damage(folder, "b.webm", spec_for("libvpx-vp9", 0), kRounds, limits).wrong, 0);
}

}  // namespace
}  // namespace kinema::media
