#include "kinema/module.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "kinema/error.h"
#include "kinema/layers.h"

namespace kinema {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Multiplies by a parameter.
struct Scale : Layer {
  at::Tensor& factor;
  explicit Scale(double value) : factor(parameter("factor", at::full({1}, value))) {}
  at::Tensor forward(const at::Tensor& x) override { return x.mul(factor); }
};

struct Net : Module {
  at::Tensor& gain = parameter("gain", at::ones({2}));
  at::Tensor& none = parameter("none", at::Tensor());
  at::Tensor& count = buffer("count", at::zeros({}, at::kLong));
  Child<Layer> scale = child_of<Layer>("scale", std::make_shared<Scale>(2.0));
  Child<Sequential> tail = child<Sequential>("tail");
  Child<Linear> head = child<Linear>("head", 2, 3);

  Net() {
    tail->add(std::make_shared<BatchNorm>(2))
        .add(std::make_shared<Relu>())
        .add(std::make_shared<Scale>(1.0), "last");
  }
  at::Tensor run(const at::Tensor& x) { return head(scale(x)); }
};

std::vector<std::string> names(const std::vector<NamedTensor>& list) {
  std::vector<std::string> out;
  for (const NamedTensor& named : list) out.push_back(named.name);
  return out;
}

template <class F>
std::string message(ErrorKind kind, F&& run) {
  try {
    run();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), kind);
    return error.what();
  }
  return "no error";
}

at::Tensor tensor_of(const Module& module, const std::string& name) {
  for (const NamedTensor& named : module.state())
    if (named.name == name) return named.tensor;
  return {};
}

TEST(module, names_tensors_in_torch_order_and_skips_undefined_ones) {
  const Net net;
  EXPECT_THAT(names(net.parameters()), ElementsAre("gain", "scale.factor", "tail.0.weight", "tail.0.bias",
                                                   "tail.last.factor", "head.weight", "head.bias"));
  EXPECT_THAT(names(net.buffers()), ElementsAre("count", "tail.0.running_mean", "tail.0.running_var",
                                                "tail.0.num_batches_tracked"));
  EXPECT_THAT(names(net.state()),
              ElementsAre("gain", "count", "scale.factor", "tail.0.weight", "tail.0.bias",
                          "tail.0.running_mean", "tail.0.running_var", "tail.0.num_batches_tracked",
                          "tail.last.factor", "head.weight", "head.bias"));
}

TEST(module, parameters_want_gradients_and_buffers_do_not) {
  const Net net;
  for (const NamedTensor& named : net.parameters()) EXPECT_TRUE(named.tensor.requires_grad()) << named.name;
  for (const NamedTensor& named : net.buffers()) EXPECT_FALSE(named.tensor.requires_grad()) << named.name;
}

TEST(module, knows_paths_and_types) {
  const Net net;
  std::vector<std::string> seen;
  for (const auto& [path, module] : net.modules()) seen.push_back(path + ":" + module->type_name());
  EXPECT_THAT(seen, ElementsAre(":Net", "scale:Scale", "tail:Sequential", "tail.0:BatchNorm", "tail.1:ReLU",
                                "tail.last:Scale", "head:Linear"));
  EXPECT_EQ(net.find("tail.last")->path(), "tail.last");
  EXPECT_EQ(net.find("tail.last")->name(), "last");
  EXPECT_EQ(net.find(""), &net);
  EXPECT_EQ(net.find("tail.2"), nullptr);
  EXPECT_EQ(net.find("tail."), nullptr);
  EXPECT_EQ(net.find(".tail"), nullptr);
  EXPECT_EQ(Conv3d({.in = 1, .out = 1}).type_name(), "Conv3d");
}

TEST(module, state_goes_to_another_module_and_back) {
  Net from, to;
  from.train(false);
  for (NamedTensor& named : from.state())
    named.tensor.detach().fill_(named.tensor.is_floating_point() ? 0.25 : 7);
  to.load_state(from.state());
  const at::Tensor x = at::full({1, 2}, 0.5);
  EXPECT_TRUE(to.run(x).equal(from.run(x)));
  for (const NamedTensor& named : from.state()) EXPECT_TRUE(tensor_of(to, named.name).equal(named.tensor));
  EXPECT_TRUE(to.gain.requires_grad());
  EXPECT_EQ(to.count.item<std::int64_t>(), 7);
}

TEST(module, load_state_converts_element_types) {
  Net net;
  std::vector<NamedTensor> state = net.state();
  for (NamedTensor& named : state) named.tensor = at::full(named.tensor.sizes(), 3, at::kDouble);
  net.load_state(state);
  EXPECT_EQ(net.gain.scalar_type(), at::kFloat);
  EXPECT_EQ(net.gain.sum().item<double>(), 6);
  EXPECT_EQ(net.count.scalar_type(), at::kLong);
  EXPECT_EQ(net.count.item<std::int64_t>(), 3);
}

TEST(module, load_state_lists_every_problem_and_then_copies_nothing) {
  Net net;
  std::vector<NamedTensor> state = {{"gain", at::full({2}, 9.0)},
                                    {"gain", at::full({2}, 8.0)},
                                    {"head.weight", at::zeros({3, 4})},
                                    {"head.bias", at::Tensor()},
                                    {"fc.weight", at::zeros({1, 5})}};
  const std::string text = message(ErrorKind::data, [&] { net.load_state(state); });
  EXPECT_THAT(text,
              HasSubstr("tensor \"gain\": tensor given twice: expected each name once, got another one"));
  EXPECT_THAT(text, HasSubstr("tensor \"tail.0.weight\": missing tensor: expected [2], got none\n"
                              "hint: weights of other programs need the model's key map of that name"));
  EXPECT_THAT(text, HasSubstr("tensor \"count\": missing tensor: expected [], got none"));
  EXPECT_THAT(text, HasSubstr("tensor \"head.weight\": wrong shape: expected [3, 2], got [3, 4]"));
  EXPECT_THAT(text, HasSubstr("tensor \"head.bias\": wrong shape: expected [3], got an undefined tensor"));
  EXPECT_THAT(text, HasSubstr("tensor \"fc.weight\": unexpected tensor: expected no such name, got [1, 5]"));
  EXPECT_EQ(net.gain.sum().item<double>(), 2);
}

TEST(module, load_state_that_is_not_strict_skips_names_but_not_shapes) {
  Net net;
  net.load_state({{"gain", at::full({2}, 9.0)}, {"other", at::zeros({1})}}, false);
  EXPECT_EQ(net.gain.sum().item<double>(), 18);
  EXPECT_THAT(message(ErrorKind::data,
                      [&] {
                        net.load_state({{"gain", at::zeros({3})}}, false);
                      }),
              HasSubstr("wrong shape: expected [2], got [3]"));
}

TEST(module, a_replaced_child_is_the_one_that_forward_calls) {
  Net net;
  const at::Tensor x = at::ones({1, 2});
  const at::Tensor before = net.scale(x);
  const Module* old = net.find("scale");
  net.replace("scale", std::make_shared<Scale>(10.0));
  EXPECT_EQ(net.scale(x).sum().item<double>(), 5 * before.sum().item<double>());
  EXPECT_NE(net.find("scale"), old);
  EXPECT_EQ(net.find("scale")->path(), "scale");
  net.replace("tail.1", std::make_shared<Scale>(0.0));
  EXPECT_EQ(net.tail(at::ones({3, 2})).sum().item<double>(), 0);
  EXPECT_THAT(names(net.parameters()), testing::Contains("tail.1.factor"));
}

TEST(module, replace_refuses_what_the_handle_does_not_admit) {
  Net net;
  EXPECT_THAT(
      message(ErrorKind::usage, [&] { net.replace("head", std::make_shared<Relu>()); }),
      HasSubstr(
          "module \"head\": wrong type of module: expected one that can stand for a Linear, got a ReLU"));
  EXPECT_THAT(
      message(ErrorKind::usage, [&] { net.replace("nose.1", std::make_shared<Relu>()); }),
      HasSubstr("module \"nose.1\": no such module: expected a path such as \"scale\", got \"nose.1\""));
  EXPECT_THAT(message(ErrorKind::usage, [&] { net.replace("", std::make_shared<Relu>()); }),
              HasSubstr("no such module"));
  EXPECT_THAT(message(ErrorKind::usage, [&] { net.replace("scale", nullptr); }),
              HasSubstr("child \"scale\": no module: expected a module, got null"));
  EXPECT_EQ(net.find("head")->type_name(), "Linear");
}

TEST(module, an_erased_child_takes_its_tensors_along) {
  Net net;
  net.erase("head");
  net.erase("tail.last");
  EXPECT_THAT(names(net.parameters()), ElementsAre("gain", "scale.factor", "tail.0.weight", "tail.0.bias"));
  EXPECT_EQ(message(ErrorKind::usage, [&] { net.erase("head"); }),
            "module \"head\": no such module: expected a path such as \"scale\", got \"head\"\n"
            "hint: kinema model summary lists the paths");
  EXPECT_NO_THROW(net.find("tail")->erase("0"));
}

// A list of indices that follows from the options.
struct Indexed : Module {
  at::Tensor& index = table("index", at::full({2}, 7, at::kLong));
  Child<Linear> inner = child<Linear>("inner", 1, 1);
};

TEST(module, tables_are_state_but_never_loaded) {
  Indexed module;
  EXPECT_THAT(names(module.state()), ElementsAre("index", "inner.weight", "inner.bias"));
  EXPECT_THAT(names(module.tables()), ElementsAre("index"));
  const at::Tensor one = at::ones({1, 1});
  module.load_state({{"inner.weight", one}, {"inner.bias", at::ones({1})}});
  module.load_state({{"index", at::zeros({9})}, {"inner.weight", one.mul(2)}, {"inner.bias", at::ones({1})}});
  EXPECT_TRUE(module.index.equal(at::full({2}, 7, at::kLong)));
  EXPECT_EQ(module.inner->weight().item<double>(), 2);
}

TEST(module, one_module_has_one_place) {
  auto shared = std::make_shared<Relu>();
  Sequential row({shared});
  EXPECT_THAT(
      message(ErrorKind::plugin, [&] { row.add(shared); }),
      HasSubstr("child \"1\": module is in use: expected one without a parent, got \"0\" of another module"));
  auto outer = std::make_shared<Sequential>();
  auto inner = std::make_shared<Sequential>();
  outer->add(inner);
  EXPECT_THAT(message(ErrorKind::plugin, [&] { inner->add(outer); }), HasSubstr("module contains itself"));
  row.replace("0", std::make_shared<Relu>());
  outer->add(shared);
  EXPECT_EQ(shared->path(), "1");
}

TEST(module, a_child_that_outlives_its_parent_has_none) {
  auto layer = std::make_shared<Relu>();
  { const Sequential row({layer}); }
  EXPECT_EQ(layer->path(), "0");
  EXPECT_NO_THROW(Sequential({layer}));
}

TEST(module, names_are_unique_and_hold_no_dot) {
  struct Twice : Module {
    Twice() {
      child<Relu>("a");
      parameter("a", at::ones({1}));
    }
  };
  EXPECT_THAT(message(ErrorKind::plugin, [] { Twice(); }),
              HasSubstr("parameter \"a\": name is taken: expected a new name, got one registered before"));
  struct Dotted : Module {
    Dotted() { child<Relu>("a.b"); }
  };
  EXPECT_THAT(message(ErrorKind::plugin, [] { Dotted(); }),
              HasSubstr("child \"a.b\": wrong name: expected a name without a dot, got \"a.b\""));
  struct Empty : Module {
    Empty() { buffer("", at::ones({1})); }
  };
  EXPECT_THAT(message(ErrorKind::plugin, [] { Empty(); }), HasSubstr("wrong name"));
}

TEST(module, to_moves_floating_point_and_leaves_integers) {
  Net net;
  const at::Tensor handle = net.gain;
  net.run(at::ones({1, 2})).sum().backward();
  net.to(at::kDouble);
  EXPECT_EQ(handle.scalar_type(), at::kDouble);
  EXPECT_EQ(net.count.scalar_type(), at::kLong);
  EXPECT_EQ(tensor_of(net, "scale.factor").grad().scalar_type(), at::kDouble);
  EXPECT_TRUE(handle.requires_grad() && handle.is_leaf());
  net.run(at::ones({1, 2}, at::kDouble)).sum().backward();
  net.to(at::kFloat);
  EXPECT_EQ(net.run(at::ones({1, 2})).scalar_type(), at::kFloat);
}

TEST(module, to_memory_format_keeps_values) {
  Sequential net({std::make_shared<Conv3d>(Conv3dOptions{.in = 2, .out = 3, .kernel = 3}),
                  std::make_shared<BatchNorm>(3)});
  const at::Tensor before = net.parameters()[0].tensor.detach().clone();
  net.to(at::MemoryFormat::ChannelsLast3d);
  const at::Tensor after = net.parameters()[0].tensor;
  EXPECT_TRUE(after.is_contiguous(at::MemoryFormat::ChannelsLast3d));
  EXPECT_TRUE(after.equal(before));
  EXPECT_TRUE(net.parameters()[1].tensor.is_contiguous());
  net.to(at::MemoryFormat::Contiguous);
  EXPECT_TRUE(after.is_contiguous());
}

TEST(module, train_reaches_every_child) {
  Net net;
  net.train(false);
  for (const auto& [path, module] : net.modules()) EXPECT_FALSE(module->training()) << path;
  net.train();
  for (const auto& [path, module] : net.modules()) EXPECT_TRUE(module->training()) << path;
}

}  // namespace
}  // namespace kinema
