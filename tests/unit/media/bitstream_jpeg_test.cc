#include <gtest/gtest.h>

#include "framework/media/bitstream.h"
#include "framework/media/grey_picture.h"
#include "tests/unit/media/exactness.h"

namespace kinema::media {
namespace {

std::string jpeg(const test::Folder& folder) {
  const std::vector<std::uint8_t> grey(20 * 14, 90);
  write_grey(folder / "a.jpg", grey.data(), {20, 14}, PictureFormat::jpeg);
  return test::bytes_of(folder / "a.jpg");
}

PacketTraits inspect(const std::string& bytes) {
  return inspect_jpeg({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

TEST(bitstream_jpeg, a_whole_picture_is_what_a_scan_expects) {
  const test::Folder folder;
  const PacketTraits traits = inspect(jpeg(folder));
  EXPECT_TRUE(traits.plausible);
  EXPECT_EQ(traits.entry, Entry::clean);
  EXPECT_NE(traits.parameters, 0u);
  EXPECT_EQ(inspect(jpeg(folder) + std::string(3, '\0')).parameters, traits.parameters) << "padding";
}

TEST(bitstream_jpeg, what_a_decoder_might_drop_or_read_with_older_tables_is_not) {
  const test::Folder folder;
  const std::string good = jpeg(folder);
  const std::string huffman = "\xff\xc4", frame = "\xff\xc0", scan = "\xff\xda", quantisers = "\xff\xdb";
  EXPECT_FALSE(inspect(good.substr(0, good.size() - 2)).plausible) << "no end";
  EXPECT_FALSE(inspect(good.substr(0, good.find(scan))).plausible) << "no coded data";
  for (const std::string& segment : {frame, scan, quantisers}) {
    std::string other = good;
    other[good.find(segment) + 1] = '\xfe';  // a comment
    EXPECT_FALSE(inspect(other).plausible) << static_cast<int>(segment[1]);
  }
  std::string longer = good;
  longer[good.find(frame) + 2] = '\x7f';
  EXPECT_FALSE(inspect(longer).plausible) << "a segment beyond the end";
  std::string overfull = good;
  overfull[good.find(huffman) + 5] = '\x09';  // nine codes of one bit
  EXPECT_FALSE(inspect(overfull).plausible);
}

TEST(bitstream_jpeg, pictures_of_other_sizes_or_without_tables_of_their_own_have_other_parameters) {
  const test::Folder folder;
  const std::string good = jpeg(folder), huffman = "\xff\xc4", frame = "\xff\xc0";
  std::string wider = good, bare = good;
  wider[good.find(frame) + 8] = 24;
  EXPECT_NE(inspect(wider).parameters, inspect(good).parameters);
  for (std::size_t at; (at = bare.find(huffman)) != std::string::npos;) bare[at + 1] = '\xfe';
  EXPECT_NE(inspect(bare).parameters, inspect(good).parameters);
}

}  // namespace
}  // namespace kinema::media
