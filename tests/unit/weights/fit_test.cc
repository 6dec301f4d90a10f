#include "framework/weights/fit.h"

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "tests/support/scratch.h"

namespace kinema::weights {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A convolution over time, a norm, a table and a classifier of three classes.
struct Net final : Model, HasKeyMaps, HasFeatures {
  Child<Conv3d> conv =
      child<Conv3d>("conv", Conv3dOptions{.in = 1, .out = 2, .kernel = {3, 1, 1}, .bias = false});
  Child<BatchNorm> norm = child<BatchNorm>("norm", 2);
  at::Tensor& index = table("index", at::ones({4}, at::kLong));
  Child<Linear> fc = child<Linear>("fc", 2, 3);

  Output forward(const ClipBatch&) override { return {}; }
  std::vector<at::Tensor> features(const ClipBatch&) override { return {}; }
  std::vector<std::int64_t> feature_channels() const override { return {2}; }
  std::string head() const override { return "fc"; }
  std::vector<KeyMap> checkpoint_key_maps() const override {
    return {{"plain", {}},
            {"other",
             {{"^extra\\..*", ""}, {"^stem\\.", "conv."}, {"^bn\\.", "norm."}, {"^classifier\\.", "fc."}}},
            {"normless",
             {{"^first\\.", "conv."}},
             {{"^norm\\.(weight|running_var)$", 1}, {"^norm\\.(bias|running_mean)$", 0}}}};
  }
  at::Tensor value(const std::string& name) const {
    for (const NamedTensor& named : state())
      if (named.name == name) return named.tensor.detach();
    throw std::runtime_error("no tensor " + name);
  }
};

checkpoint::Weights file(std::vector<NamedTensor> tensors) { return {std::move(tensors), {}, "file.pth"}; }

// What a file for Net holds, under the names of a project.
std::vector<NamedTensor> tensors(const std::string& conv = "conv", const std::string& norm = "norm",
                                 const std::string& fc = "fc") {
  return {{conv + ".weight", at::full({2, 1, 3, 1, 1}, 5, at::kFloat)},
          {norm + ".weight", at::full({2}, 6, at::kFloat)},
          {norm + ".bias", at::full({2}, 7, at::kFloat)},
          {norm + ".running_mean", at::full({2}, 8, at::kFloat)},
          {norm + ".running_var", at::full({2}, 9, at::kFloat)},
          {norm + ".num_batches_tracked", at::full({}, 10, at::kLong)},
          {fc + ".weight", at::full({3, 2}, 11, at::kFloat)},
          {fc + ".bias", at::full({3}, 12, at::kFloat)}};
}

std::vector<NamedTensor> without(std::vector<NamedTensor> all, const std::string& name) {
  std::erase_if(all, [&](const NamedTensor& named) { return named.name == name; });
  return all;
}

TEST(weights, of_the_model_s_own_names_are_taken_as_they_are) {
  Net net;
  EXPECT_THAT(load(net, file(tensors())), IsEmpty());
  EXPECT_TRUE(net.value("conv.weight").eq(5).all().item<bool>());
  EXPECT_EQ(net.value("norm.num_batches_tracked").item<std::int64_t>(), 10);
  EXPECT_TRUE(net.value("fc.bias").eq(12).all().item<bool>());
}

TEST(weights, of_another_project_are_known_by_their_names) {
  Net net;
  auto given = tensors("stem", "bn", "classifier");
  given.push_back({"extra.weight", at::ones({2})});
  given.push_back({"extra.bias", at::ones({3})});
  EXPECT_THAT(load(net, file(given)), ElementsAre("names as in other"));
  EXPECT_TRUE(net.value("norm.running_var").eq(9).all().item<bool>());
}

TEST(weights, that_a_project_does_not_have_are_its_map_s_constants) {
  Net net;
  std::vector<NamedTensor> given = {{"first.weight", at::full({2, 1, 3, 1, 1}, 5, at::kFloat)},
                                    {"fc.weight", at::full({3, 2}, 11, at::kFloat)},
                                    {"fc.bias", at::full({3}, 12, at::kFloat)}};
  EXPECT_THAT(load(net, file(given)), ElementsAre("names as in normless"));
  EXPECT_TRUE(net.value("norm.running_var").eq(1).all().item<bool>());
  EXPECT_TRUE(net.value("norm.running_mean").eq(0).all().item<bool>());
}

TEST(weights, whose_names_become_one_are_refused) {
  auto given = tensors("stem", "bn", "classifier");
  given.push_back({"conv.weight", at::ones({2, 1, 3, 1, 1})});
  EXPECT_EQ(test::error_of([&] { fit(Net(), file(given)); }),
            "file.pth: one name for two tensors: expected \"conv.weight\" once, got it from \"stem.weight\" "
            "and from "
            "\"conv.weight\"");
}

TEST(weights, of_images_are_inflated) {
  Net net;
  auto given = tensors();
  given[0].tensor = at::arange(2, at::kFloat).view({2, 1, 1, 1}).add(3);
  EXPECT_THAT(load(net, file(given)), ElementsAre("1 kernels of images inflated over time (mean)"));
  EXPECT_TRUE(net.value("conv.weight").select(0, 0).eq(1).all().item<bool>());
  load(net, file(given), {.inflation = Inflation::centre});
  EXPECT_TRUE(net.value("conv.weight").flatten().equal(at::tensor({0.F, 3.F, 0.F, 0.F, 4.F, 0.F})));
}

TEST(weights, of_a_head_for_other_classes_leave_the_model_s_own) {
  Net net;
  const at::Tensor drawn = net.value("fc.weight").clone();
  auto given = tensors();
  given[6].tensor = at::ones({400, 2});
  given[7].tensor = at::ones({400});
  EXPECT_THAT(load(net, file(given)), ElementsAre("fc replaced: the file has 400 classes, the model 3"));
  EXPECT_TRUE(net.value("fc.weight").equal(drawn));
  EXPECT_TRUE(net.value("conv.weight").eq(5).all().item<bool>());
  given[6].tensor = at::ones({400, 7});
  EXPECT_THAT(test::error_of([&] { fit(net, file(given)); }),
              HasSubstr("wrong shape of tensor \"fc.weight\": expected [3, 2], got [400, 7]"));
}

TEST(weights, of_another_number_type_are_converted) {
  Net net;
  auto given = tensors();
  given[0].tensor = given[0].tensor.to(at::kHalf);
  given[1].tensor = given[1].tensor.to(at::kDouble);
  EXPECT_THAT(load(net, file(given)), ElementsAre("1 tensors converted from Double to Float",
                                                  "1 tensors converted from Half to Float"));
  EXPECT_TRUE(net.value("conv.weight").eq(5).all().item<bool>());
}

TEST(weights, that_differ_in_sides_of_one_are_reshaped) {
  Net net;
  auto given = tensors();
  given[6].tensor = at::full({3, 2, 1, 1, 1}, 11, at::kFloat);
  given[5].tensor = at::full({1}, 10, at::kLong);
  EXPECT_THAT(load(net, file(given)), ElementsAre("2 tensors reshaped, values as they were"));
}

TEST(weights, need_no_counters_and_no_tables) {
  Net net;
  EXPECT_THAT(load(net, file(without(tensors(), "norm.num_batches_tracked"))), IsEmpty());
  EXPECT_EQ(net.value("norm.num_batches_tracked").item<std::int64_t>(), 0);
  auto given = tensors();
  given.push_back({"index", at::zeros({9})});
  EXPECT_THAT(load(net, file(given)), IsEmpty());
  EXPECT_TRUE(net.value("index").equal(at::ones({4}, at::kLong)));
}

TEST(weights, that_do_not_fit_are_all_listed_with_the_nearest_name) {
  Net net;
  auto given = tensors();
  given[1].name = "norm.weigth";
  given[2].tensor = at::ones({5});
  EXPECT_EQ(test::error_of([&] { load(net, file(given)); }),
            "file.pth: missing tensor \"norm.weight\": expected [2], got none\n"
            "hint: did you mean \"norm.weigth\"?\n"
            "file.pth: wrong shape of tensor \"norm.bias\": expected [2], got [5]\n"
            "file.pth: unexpected tensor \"norm.weigth\": expected no such name, got [2]\n"
            "hint: strict = false in [model] loads what fits and leaves the rest as it was drawn");
  EXPECT_FALSE(net.value("conv.weight").eq(5).all().item<bool>()) << "nothing is loaded then";
}

TEST(weights, that_do_not_fit_are_left_out_on_request) {
  Net net;
  auto given = tensors();
  given[1].name = "norm.weigth";
  given[2].tensor = at::ones({5});
  EXPECT_THAT(load(net, file(given), {.strict = false}),
              ElementsAre("not in the file, left as drawn: norm.weight",
                          "of another shape, left as drawn: norm.bias ([5] instead of [2])",
                          "not in the model, ignored: norm.weigth"));
  EXPECT_TRUE(net.value("conv.weight").eq(5).all().item<bool>());
  EXPECT_TRUE(net.value("norm.weight").eq(1).all().item<bool>());
}

TEST(weights, of_which_nothing_fits_are_refused_even_then) {
  EXPECT_THAT(test::error_of([] {
                fit(Net(), file({{"other", at::ones({1})}}), {.strict = false});
              }),
              HasSubstr("missing tensor \"conv.weight\""));
}

TEST(weights, of_another_network_altogether_make_a_bounded_list) {
  std::vector<NamedTensor> given;
  for (int i = 0; i < 300; ++i) given.push_back({"layer" + std::to_string(i), at::ones({1})});
  const std::string text = test::error_of([&] { fit(Net(), file(given)); });
  EXPECT_THAT(text, HasSubstr("unexpected tensor \"layer0\""));
  EXPECT_THAT(text, HasSubstr("280 more unexpected tensors: expected none, got 300 in all"));
  EXPECT_LT(text.size(), 8000u);
}

}  // namespace
}  // namespace kinema::weights
