#include "framework/data/bad_videos.h"

#include <gmock/gmock.h>

#include <set>

#include "kinema/error.h"
#include "tests/unit/data/own_pixels.h"

namespace kinema::data {
namespace {

TEST(bad_videos, replacements_are_a_function_of_seed_epoch_and_index) {
  const auto set = test::counting_items(30);
  const Replacements a(set, 1), again(set, 1), other(set, 2);
  int same = 0;
  for (std::size_t i = 0; i < 30; ++i) {
    EXPECT_EQ(a.candidate(3, i, 0), again.candidate(3, i, 0));
    same += a.candidate(3, i, 0) == other.candidate(3, i, 0) ? 1 : 0;
  }
  EXPECT_LT(same, 15);
}

TEST(bad_videos, candidates_are_of_the_same_class_first_and_never_the_bad_one) {
  const auto set = test::counting_items(30);
  const Replacements replacements(set, 1);
  std::set<std::size_t> late;
  for (std::size_t i = 0; i < 30; ++i) {
    for (int attempt = 0; attempt < Replacements::kAttempts; ++attempt) {
      const std::size_t candidate = replacements.candidate(0, i, attempt);
      EXPECT_NE(candidate, i);
      if (attempt < Replacements::kSameClass) {
        EXPECT_EQ(candidate % 3, i % 3);
      } else {
        late.insert(candidate % 3);
      }
    }
  }
  EXPECT_EQ(late.size(), 3u);
}

TEST(bad_videos, a_class_of_one_takes_any_other_item) {
  auto set = test::counting_items(4);  // labels 0 1 2 0
  const Replacements replacements(set, 1);
  std::set<std::size_t> candidates;
  for (std::uint64_t epoch = 0; epoch < 100; ++epoch) candidates.insert(replacements.candidate(epoch, 1, 0));
  EXPECT_EQ(candidates, (std::set<std::size_t>{0, 2, 3}));
}

TEST(bad_videos, a_ledger_that_cannot_be_written_is_an_error) {
  BadVideoLedger ledger("/nonexistent/folder/bad_videos.tsv");
  EXPECT_THROW(ledger.add({1, 0, "k", "p", "r"}), Error);
}

}  // namespace
}  // namespace kinema::data
