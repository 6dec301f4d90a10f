#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class concat : public test::DatasetTest {
 protected:
  concat() : DatasetTest("concat") {
    give_root = false;
    test::registration_of("list")(*host);
  }
  Value set(const std::string& name, const std::string& text, bool multi_label = false) {
    return Value::table({{"type", Value("list")},
                         {"root", Value(root.string())},
                         {"list", Value(write(name, text))},
                         {"multi_label", Value(multi_label)}});
  }
};

TEST_F(concat, items_of_equal_classes_follow_one_another) {
  const auto both =
      make({{"sets", Value(Value::Array{set("1", "a.mp4 x\nb.mp4 y\n"), set("2", "c.mp4 y\nd.mp4 x\n")})}});
  EXPECT_THAT(both->classes(), ElementsAre("x", "y"));
  EXPECT_THAT(keys(*both), ElementsAre("a.mp4", "b.mp4", "c.mp4", "d.mp4"));
  EXPECT_THAT(labels(*both), ElementsAre(0, 1, 1, 0));
  EXPECT_THROW(both->item(4), std::out_of_range);
}

TEST_F(concat, classes_must_agree_or_are_united_by_name) {
  const Value sets(Value::Array{set("1", "a.mp4 x\nb.mp4 y\n"), set("2", "c.mp4 w\nd.mp4 x\n")});
  EXPECT_THAT(
      message({{"sets", sets}}),
      HasSubstr("concat, set 1: other classes than set 0: expected \"x\" at label 0, got \"w\" (2 and 2 "
                "classes)"));
  const auto united = make({{"sets", sets}, {"classes", Value("unite")}});
  EXPECT_THAT(united->classes(), ElementsAre("x", "y", "w"));
  EXPECT_THAT(labels(*united), ElementsAre(0, 1, 2, 0));
}

TEST_F(concat, values_of_several_labels_move_with_their_classes) {
  const auto united =
      make({{"sets", Value(Value::Array{set("1", "a.mp4 x,y\n", true), set("2", "c.mp4 w,x\n", true)})},
            {"classes", Value("unite")}});
  EXPECT_THAT(united->item(0).target.values, ElementsAre(1, 1, 0));
  EXPECT_THAT(united->item(1).target.values, ElementsAre(1, 0, 1));
}

TEST_F(concat, needs_a_set) {
  EXPECT_THAT(host->problems("dataset", "concat", Value::table({{"sets", Value(Value::Array{})}})),
              HasSubstr("sets"));
}

}  // namespace
}  // namespace kinema
