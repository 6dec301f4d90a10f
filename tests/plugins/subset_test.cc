#include <algorithm>
#include <map>
#include <set>

#include "tests/support/dataset_test.h"

namespace kinema {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class subset : public test::DatasetTest {
 protected:
  subset() : DatasetTest("subset") {
    give_root = false;
    test::registration_of("list")(*host);
  }
  // 80 items of class a and 20 of class b, with 1 to 100 frames.
  Entries with(Entries more) {
    std::string text;
    for (int i = 1; i <= 100; ++i)
      text += std::to_string(i) + ".mp4 " + std::to_string(i) + (i % 5 == 0 ? " b\n" : " a\n");
    const Value of = Value::table({{"type", Value("list")},
                                   {"root", Value(root.string())},
                                   {"list", Value(write("list.txt", text))},
                                   {"columns", list_of({"path", "frames", "label"})}});
    more.emplace_back("of", of);
    return more;
  }
  static std::map<std::int64_t, int> counts(const Dataset& set) {
    std::map<std::int64_t, int> of_label;
    for (const std::int64_t label : labels(set)) ++of_label[label];
    return of_label;
  }
  using Counts = std::map<std::int64_t, int>;
};

TEST_F(subset, a_share_of_each_class_depends_on_the_seed_alone) {
  const auto first = make(with({{"fraction", Value(0.25)}}));
  EXPECT_EQ(counts(*first), (Counts{{0, 20}, {1, 5}}));
  EXPECT_THAT(first->classes(), ElementsAre("a", "b"));
  EXPECT_EQ(keys(*first), keys(*make(with({{"fraction", Value(0.25)}}))));
  EXPECT_NE(keys(*first), keys(*make(with({{"fraction", Value(0.25)}, {"seed", Value(2)}}))));
  EXPECT_EQ(make(with({{"fraction", Value(0.5)}, {"method", Value("random")}}))->size(), 50u);
  EXPECT_EQ(counts(*make(with({{"per_class", Value(30)}}))), (Counts{{0, 30}, {1, 20}}));
}

TEST_F(subset, the_inverse_is_the_rest) {
  const auto kept = keys(*make(with({{"fraction", Value(0.2)}})));
  const auto rest = keys(*make(with({{"fraction", Value(0.2)}, {"invert", Value(true)}})));
  EXPECT_EQ(kept.size() + rest.size(), 100u);
  std::set<std::string> all(kept.begin(), kept.end());
  all.insert(rest.begin(), rest.end());
  EXPECT_EQ(all.size(), 100u);
}

TEST_F(subset, a_representative_share_has_the_lengths_of_the_whole) {
  const auto set = make(with({{"fraction", Value(0.2)}, {"method", Value("representative")}}));
  EXPECT_EQ(counts(*set), (Counts{{0, 16}, {1, 4}}));
  std::vector<double> of_b;
  for (std::size_t i = 0; i < set->size(); ++i)
    if (set->item(i).target.label == 1) of_b.push_back(set->item(i).span.end);
  EXPECT_THAT(of_b, ElementsAre(15, 40, 65, 90)) << "the middles of four quarters of 5, 10, ..., 100";
}

TEST_F(subset, a_file_may_name_the_items) {
  EXPECT_THAT(keys(*make(with({{"keys", Value(write("keys.txt", "7.mp4\r\n\r\n3.mp4\n"))}}))),
              ElementsAre("3.mp4", "7.mp4"));
  EXPECT_THAT(message(with({{"keys", Value(write("bad.txt", "7.mp4\n700.mp4\n"))}})),
              HasSubstr("bad.txt:2: unknown key: expected one of an item, like \"1.mp4\", got \"700.mp4\""));
}

TEST_F(subset, there_is_one_way_to_choose) {
  EXPECT_THAT(message(with({}), ErrorKind::usage),
              HasSubstr("expected fraction, per_class or keys, got none"));
  EXPECT_THAT(message(with({{"fraction", Value(0.5)}, {"per_class", Value(3)}}), ErrorKind::usage),
              HasSubstr("expected fraction, per_class or keys, got 2"));
  EXPECT_THAT(message(with({{"fraction", Value(1.0)}, {"invert", Value(true)}})),
              HasSubstr("nothing is left: expected some items, got none of 100"));
}

}  // namespace
}  // namespace kinema
