#include "framework/infer/operator_count.h"

#include <ATen/ops/baddbmm.h>
#include <ATen/ops/conv3d.h>
#include <ATen/ops/einsum.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <gtest/gtest.h>

namespace kinema::infer {
namespace {

TEST(operator_count, counts_products_once_whoever_runs_them) {
  OperatorCount count;
  at::matmul(at::ones({3, 4}), at::ones({4, 5}));
  EXPECT_EQ(count.take(), 3 * 4 * 5);
  at::matmul(at::ones({7, 3, 4}), at::ones({7, 4, 5}));
  EXPECT_EQ(count.take(), 7 * 3 * 4 * 5);
  at::linear(at::ones({2, 6, 4}), at::ones({5, 4}), at::ones({5}));
  EXPECT_EQ(count.take(), 2 * 6 * 4 * 5);
  at::baddbmm(at::ones({2, 3, 5}), at::ones({2, 3, 4}), at::ones({2, 4, 5}));
  EXPECT_EQ(count.take(), 2 * 3 * 4 * 5);
  at::einsum("bij,bjk->bik", {at::ones({2, 3, 4}), at::ones({2, 4, 5})});
  EXPECT_EQ(count.take(), 2 * 3 * 4 * 5);
  EXPECT_EQ(count.take(), 0);
}

TEST(operator_count, counts_convolutions_by_their_output) {
  OperatorCount count;
  at::conv3d(at::ones({2, 4, 5, 6, 7}), at::ones({8, 2, 3, 3, 3}), {}, {1, 2, 2}, {1, 1, 1}, {1, 1, 1}, 2);
  EXPECT_EQ(count.take(), 2 * 8 * 5 * 3 * 4 * (2 * 27));
}

TEST(operator_count, counts_both_products_of_attention) {
  OperatorCount count;
  at::scaled_dot_product_attention(at::ones({2, 3, 5, 8}), at::ones({2, 3, 7, 8}), at::ones({2, 3, 7, 4}));
  EXPECT_EQ(count.take(), 2 * 3 * 5 * 7 * (8 + 4));
}

TEST(operator_count, takes_the_word_of_a_part_that_computes_in_another_way) {
  OperatorCount count;
  {
    at::RecordFunction note(at::RecordScope::USER_SCOPE);
    const c10::IValue number(std::int64_t{42});
    note.before("kinema::multiply_adds", c10::ArrayRef<const c10::IValue>(&number, 1));
  }
  EXPECT_EQ(count.take(), 42);
}

TEST(operator_count, ends_with_its_scope) {
  { const OperatorCount count; }
  at::matmul(at::ones({3, 4}), at::ones({4, 5}));
  EXPECT_EQ(OperatorCount().take(), 0);
}

}  // namespace
}  // namespace kinema::infer
