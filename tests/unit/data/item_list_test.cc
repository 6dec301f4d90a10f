#include "framework/data/item_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/scratch.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

using test::error_of;
using testing::HasSubstr;

test::ListedItems two_videos() {
  test::ListedItems set;
  set.names = {"run", "jump, high"};
  set.add_video("/data/a/1.mp4", 0);
  set.add_video("/data/b/2.mp4", 1);
  return set;
}

TEST(item_list, starts_at_the_root_or_at_the_deepest_common_folder) {
  test::ListedItems set = two_videos();
  set.items[0].key = "a/1.mp4";
  set.items[1].key = "b/2.mp4";
  const ItemList list = list_of_items(set);
  EXPECT_EQ(list.root, "/data");
  EXPECT_EQ(list.csv, "path,label\na/1.mp4,run\nb/2.mp4,\"jump, high\"\n");
  EXPECT_EQ(list.classes, "[\n  \"run\",\n  \"jump, high\"\n]\n");
  EXPECT_EQ(list_of_items(set, "/").root, "/");
  EXPECT_EQ(list_of_items(set, "/data/a").root, "/data") << "a root that does not hold all files is no root";
  EXPECT_THAT(list_of_items(set, "/").csv, HasSubstr("path,label,key\ndata/a/1.mp4,run,a/1.mp4\n"));
}

TEST(item_list, whole_videos_beside_parts_are_parts_without_end) {
  test::ListedItems set = two_videos();
  set.items[0].span = {Span::Unit::frames, 5, 20};
  EXPECT_THAT(list_of_items(set).csv, HasSubstr("1.mp4,run,5,19,"));
  EXPECT_THAT(list_of_items(set).csv, HasSubstr(",0,999999999999999,"));
}

TEST(item_list, refuses_what_a_list_cannot_say) {
  const auto error = [](auto change) {
    test::ListedItems set = two_videos();
    change(set);
    return error_of([&] { list_of_items(set); });
  };
  EXPECT_THAT(error([](auto& set) { set.items[0].target.boxes.resize(1); }), HasSubstr("cannot say boxes"));
  EXPECT_THAT(error([](auto& set) { set.items[0].span.unit = Span::Unit::centre; }),
              HasSubstr("cannot say a moment"));
  EXPECT_THAT(error([](auto& set) { set.items[0].sources.resize(2); }),
              HasSubstr("expected one of rgb, got 2"));
  EXPECT_THAT(error([](auto& set) { set.items[0].target.values = {0.5f, 0.5f}; }), HasSubstr("soft labels"));
  EXPECT_THAT(error([](auto& set) { set.items[0].key = "a\nb"; }), HasSubstr("expected one line"));
  EXPECT_THAT(error([](auto& set) { set.names[0] = " run"; }), HasSubstr("cannot say this name"));
  EXPECT_THAT(error([](auto& set) {
                set.items[0].span = {Span::Unit::frames, 0, 5};
                set.items[1].span = {Span::Unit::seconds, 0, 5};
              }),
              HasSubstr("items differ: expected the same unit of parts"));
}

}  // namespace
}  // namespace kinema::data
