#include <gtest/gtest.h>

#include "framework/media/video.h"
#include "tests/unit/media/exactness.h"
#include "tests/unit/media/video_kinds.h"

// Codecs, containers and times of many kinds, each against a linear decode.
namespace kinema::media {
namespace {

using test::Folder;
using test::Kind;

TEST(video, delivers_exactly_the_frames_of_a_linear_decode) {
  const Folder folder;
  for (const Kind& kind : test::kinds()) {
    if (!has_encoder(kind.spec.writer.codec)) continue;
    SCOPED_TRACE(kind.file);
    const std::string path = folder / kind.file;
    test::make_clip(path, kind.spec);
    Video video = Video::open(path);
    EXPECT_EQ(test::differences(video, path), 0);
    Video again = Video::open(path);  // with what the cache knows
    EXPECT_EQ(test::differences(again, path, 2), 0);
    EXPECT_EQ(again.index().frames.data(), video.index().frames.data()) << again.index().why_decoded;
    EXPECT_EQ(!video.index().decoded, kind.scanned) << video.index().why_decoded;
    EXPECT_GE(static_cast<std::int64_t>(video.index().entries.size()), kind.least_entries);
  }
}

}  // namespace
}  // namespace kinema::media
