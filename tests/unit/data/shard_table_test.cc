#include "framework/data/shard_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"

namespace kinema::data {
namespace {

using test::error_of;
using testing::AllOf;
using testing::HasSubstr;

const std::string kHead = "kinema shards\t1\t/data\t0\n";

// Two videos in a shard, one in the next, and one that could not be read.
ShardRecord record(const char* name, std::int32_t shard, std::int64_t offset, std::int64_t bytes) {
  return {name, {1000, 5}, {shard, 10, offset, bytes, 0xabcdef}, {30, 20, 5.5F, 41.25F, 38.5F}, {}};
}

std::string table() {
  return kHead + line_of(record("run/b.mp4", 0, 0, 90)) + "\n" + line_of(record("a.mp4", 0, 100, 90)) + "\n" +
         line_of(record("c.mp4", 1, 0, 50)) + "\n" +
         line_of(ShardRecord{"bad.mp4", {7, 8}, {}, {}, "not a video:\texpected one"}) + "\n";
}

std::string refusal(const std::string& text) {
  return error_of([&] { ShardTable(text, "shards.tsv"); });
}

TEST(shard_table, finds_videos_by_name) {
  const ShardTable read(table(), "shards.tsv");
  EXPECT_EQ(read.head().root, "/data");
  EXPECT_EQ(read.head().fps, 0);
  ASSERT_EQ(read.records().size(), 4u);
  const ShardRecord* found = read.find("a.mp4");
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(line_of(*found), line_of(record("a.mp4", 0, 100, 90)));
  EXPECT_EQ(found->place.checksum, 0xabcdefu);
  EXPECT_EQ(read.find("bad.mp4")->reason, "not a video: expected one");
  EXPECT_LT(read.find("bad.mp4")->place.shard, 0);
  EXPECT_EQ(read.find("b.mp4"), nullptr);
  EXPECT_THAT(read.shard_bytes(), testing::ElementsAre(200, 60));
}

TEST(shard_table, a_later_line_stands_for_an_earlier_one_and_a_torn_one_for_nothing) {
  const ShardTable read(table() + line_of(record("a.mp4", 1, 60, 70)) + "\n" + "c.mp4\t1000\t5\t1", "t");
  EXPECT_EQ(read.records().size(), 4u);
  EXPECT_EQ(read.find("a.mp4")->place.shard, 1);
  EXPECT_EQ(read.find("c.mp4")->place.bytes, 50);
  EXPECT_EQ(read.shard_bytes()[0], 200) << "the old bytes stay spoken for";
}

TEST(shard_table, every_line_that_cannot_be_is_named) {
  EXPECT_THAT(refusal("name\tbytes\n"),
              HasSubstr("shards.tsv: not a shard table: expected one of version 1"));
  EXPECT_THAT(refusal("kinema shards\t2\t/data\t0\n"), HasSubstr("not a shard table"));
  EXPECT_THAT(refusal("kinema shards\t1\t/data\tnan\n"), HasSubstr("not a shard table"));
  const std::string rest = "\t1000\t5\t0\t0\t90\t10\tff\t1\t1\t1\t1\t1\n";
  const std::string text = refusal(kHead + "../a.mp4" + rest + "/etc/a.mp4" + rest + "a/../../b" + rest +
                                   "x.mp4\t1000\t5\t0\t-1\t90\t10\tff\t1\t1\t1\t1\t1\n" +
                                   "y.mp4\t1000\t5\t0\t0\t99999999999999999999\t10\tff\t1\t1\t1\t1\t1\n" +
                                   "z.mp4\t1000\t5\t0\t4611686018427387904\t9\t10\tff\t1\t1\t1\t1\t1\n" +
                                   "s.mp4\t1000\t5\t2000000000\t0\t9\t10\tff\t1\t1\t1\t1\t1\n" + "few\t1\n");
  EXPECT_THAT(
      text, AllOf(HasSubstr("shards.tsv:2: outside of the folder"), HasSubstr("shards.tsv:3: outside"),
                  HasSubstr("shards.tsv:4: outside"), HasSubstr("shards.tsv:5: a place that cannot be"),
                  HasSubstr("shards.tsv:6: not a line of a shard table"),
                  HasSubstr("shards.tsv:7: a place that cannot be"),
                  HasSubstr("shards.tsv:8: a place that cannot be"), HasSubstr("shards.tsv:9: not a line")));
}

TEST(shard_table, parts_that_overlap_are_refused) {
  EXPECT_EQ(refusal(table()), "");
  EXPECT_THAT(refusal(table() + line_of(record("d.mp4", 0, 150, 20)) + "\n"),
              HasSubstr("parts that overlap: expected one behind the other, got a.mp4 and d.mp4"));
  EXPECT_THAT(refusal(table() + line_of(record("a.mp4", 0, 0, 20)) + "\n"), HasSubstr("overlap"));
}

}  // namespace
}  // namespace kinema::data
