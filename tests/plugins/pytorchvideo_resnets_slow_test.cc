#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include "kinema/layers.h"
#include "kinema/run_context.h"
#include "tests/support/pytorchvideo_reference.h"

namespace kinema {
namespace {

// Counts one for each multiplication that is added up.
struct MultiplyAdds : RunContext::Tap {
  std::int64_t count = 0;
  void ran(const Module& module, std::string_view name, const at::Tensor&, const at::Tensor& y) override {
    if (!name.empty()) return;
    if (const auto* conv = dynamic_cast<const Conv3d*>(&module)) {
      const Conv3dOptions& o = conv->options();
      count += y.numel() * o.in / o.groups * o.kernel[0] * o.kernel[1] * o.kernel[2];
    }
    if (const auto* linear = dynamic_cast<const Linear*>(&module)) count += y.numel() * linear->options().in;
  }
};

std::int64_t multiply_adds(Model& model, const std::vector<std::int64_t>& shape) {
  MultiplyAdds tap;
  RunContext context;
  context.tap = &tap;
  const RunContextScope scope(context);
  const at::NoGradGuard no_grad;
  model.train(false);
  model.forward(test::formula_clip(shape));
  return tap.count;
}

TEST(pytorchvideo_resnets, r2plus1d_gives_the_reference_logits) {
  test::ModelPlugin plugin("r2plus1d");
  test::PytorchvideoReference reference(plugin, "r2plus1d_r50");
  test::expect_same_logits(*reference.model(), reference.file, reference.file["cases"][0]);
}

TEST(pytorchvideo_resnets, multiply_as_often_as_the_references) {
  for (const auto& [library, preset] :
       {std::pair("csn", "csn_r101"), std::pair("r2plus1d", "r2plus1d_r50")}) {
    SCOPED_TRACE(preset);
    test::ModelPlugin plugin(library);
    test::PytorchvideoReference reference(plugin, preset);
    const nlohmann::json& flops = reference.file["flops"];
    EXPECT_EQ(multiply_adds(*reference.model(), flops["input_shape"]), flops["conv_and_matmul"]);
  }
}

}  // namespace
}  // namespace kinema
