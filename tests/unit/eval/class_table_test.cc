#include "framework/eval/class_table.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "kinema/error.h"
#include "tests/support/formula.h"
#include "tests/support/golden.h"

namespace kinema::eval {
namespace {

using testing::ElementsAre;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

nlohmann::json reference() {
  for (const nlohmann::json& c : test::golden_cases("metrics/accuracy.json"))
    if (c["op"] == "confusion_matrix") return c;
  throw std::runtime_error("no confusion matrix");
}

std::vector<std::string> letters(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.emplace_back(1, static_cast<char>('a' + i));
  return names;
}

void add(ClassTable& table, std::vector<float> scores, std::int64_t label, std::vector<float> values = {}) {
  const std::int64_t labels[] = {label};
  table.add({scores, labels, values, static_cast<std::int64_t>(scores.size())});
}

TEST(class_table, equals_the_reference) {
  const nlohmann::json c = reference();
  const std::vector<std::int64_t> labels = c["labels"];
  const std::vector<float> scores = test::formula_values(c["preds_key"].get<std::string>(), 280);
  ClassTable table(letters(7));
  table.add({scores, labels, {}, 7});
  std::vector<std::int64_t> matrix;
  for (const auto& row : c["matrix"])
    for (const std::int64_t count : row) matrix.push_back(count);
  EXPECT_EQ(table.confusion(), matrix);
  double mean = 0;
  for (std::size_t i = 0; i < 7; ++i) {
    EXPECT_DOUBLE_EQ(table.rows()[i].recall, c["per_class_accuracy"][i].get<double>()) << i;
    mean += table.rows()[i].recall / 7;
  }
  EXPECT_NEAR(mean, c["sklearn_balanced_accuracy"].get<double>(), 1e-12);
}

// a: 2 right, 1 taken for b; b: 1 right; c: none, but one item of b is taken for it; d: never mentioned.
ClassTable small_table() {
  ClassTable table(letters(4));
  add(table, {9, 1, 0, 0}, 0);
  add(table, {9, 1, 0, 0}, 0);
  add(table, {1, 9, 0, 0}, 0);
  add(table, {1, 9, 0, 0}, 1);
  add(table, {1, 2, 9, 0}, 1);
  return table;
}

TEST(class_table, says_how_well_each_class_is_found_and_what_it_is_taken_for) {
  const std::vector<ClassRow> rows = small_table().rows();
  EXPECT_EQ(rows[0].items, 3);
  EXPECT_DOUBLE_EQ(rows[0].recall, 2.0 / 3);
  EXPECT_DOUBLE_EQ(rows[0].precision, 1);
  EXPECT_DOUBLE_EQ(rows[0].f1, 0.8);
  EXPECT_EQ(rows[0].confused_with, 1);
  EXPECT_EQ(rows[0].confused, 1);
  EXPECT_EQ(rows[1].confused_with, 2);
  EXPECT_DOUBLE_EQ(rows[1].precision, 0.5);
}

TEST(class_table, ratios_of_nothing_are_no_numbers) {
  const std::vector<ClassRow> rows = small_table().rows();
  EXPECT_TRUE(std::isnan(rows[2].recall));  // no item
  EXPECT_EQ(rows[2].precision, 0);
  EXPECT_EQ(rows[2].f1, 0);
  EXPECT_TRUE(std::isnan(rows[3].recall));
  EXPECT_TRUE(std::isnan(rows[3].precision));
  EXPECT_TRUE(std::isnan(rows[3].f1));
  EXPECT_EQ(rows[3].confused_with, -1);
  EXPECT_TRUE(std::isnan(rows[0].average_precision));
}

TEST(class_table, as_text_leaves_those_cells_empty) {
  const auto cells = small_table().per_class_cells();
  EXPECT_THAT(cells[0],
              ElementsAre("class", "items", "recall", "precision", "f1", "most_confused_with", "confused"));
  EXPECT_THAT(cells[2], ElementsAre("b", "2", "0.5", "0.5", "0.5", "c", "1"));
  EXPECT_THAT(cells[4], ElementsAre("d", "0", "", "", "", "", "0"));
  const auto confusion = small_table().confusion_cells();
  EXPECT_THAT(confusion[0], ElementsAre("true \\ predicted", "a", "b", "c", "d"));
  EXPECT_THAT(confusion[2], ElementsAre("b", "0", "1", "1", "0"));
}

TEST(class_table, has_average_precision_where_items_have_several_classes) {
  ClassTable table(letters(2));
  EXPECT_FALSE(table.counted());
  add(table, {0.9F, 0.8F}, -1, {1, 0});
  add(table, {0.4F, 0.1F}, -1, {1, 0});
  add(table, {0.5F, 0.2F}, -1, {0, 0});
  EXPECT_TRUE(table.counted());
  EXPECT_FALSE(table.has_confusion());
  const std::vector<ClassRow> rows = table.rows();
  EXPECT_EQ(rows[0].items, 2);
  EXPECT_DOUBLE_EQ(rows[0].average_precision, 0.5 + 0.5 * 2 / 3);
  EXPECT_TRUE(std::isnan(rows[1].average_precision));
  EXPECT_THAT(table.per_class_cells()[0], ElementsAre("class", "items", "average_precision"));
  EXPECT_THAT(table.per_class_cells()[2], ElementsAre("b", "0", ""));
}

TEST(class_table, an_item_with_a_nan_is_counted_and_predicted_as_nothing) {
  ClassTable table(letters(2));
  add(table, {kNan, 1}, 1);
  EXPECT_THAT(table.confusion(), ElementsAre(0, 0, 0, 0));
  EXPECT_EQ(table.rows()[1].items, 1);
  EXPECT_EQ(table.rows()[1].recall, 0);
}

TEST(class_table, of_shares_merged_is_that_of_all) {
  ClassTable one(letters(4)), other(letters(4)), all = small_table();
  add(one, {9, 1, 0, 0}, 0);
  add(one, {9, 1, 0, 0}, 0);
  add(one, {1, 9, 0, 0}, 0);
  add(other, {1, 9, 0, 0}, 1);
  add(other, {1, 2, 9, 0}, 1);
  add(other, {1, 0, 0, 0}, -1, {1, 0, 0, 1});
  add(all, {1, 0, 0, 0}, -1, {1, 0, 0, 1});
  one.merge(other.state());
  EXPECT_EQ(one.per_class_cells(), all.per_class_cells());
  EXPECT_EQ(one.confusion(), all.confusion());
  EXPECT_THROW(one.merge(std::vector<double>(3)), Error);
  one.reset();
  EXPECT_FALSE(one.counted());
}

TEST(class_table, refuses_scores_of_other_classes) {
  ClassTable table(letters(2));
  EXPECT_THROW(add(table, {1, 2, 3}, 0), Error);
}

}  // namespace
}  // namespace kinema::eval
