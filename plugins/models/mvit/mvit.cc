#include "kinema/plugin.h"
#include "network.h"
#include "options.h"
#include "plan.h"

namespace kinema::mvit {
namespace {

using O = MvitOptions;

Options<O> options() {
  Options<O> options;
  options
      .add("frames", &O::frames, "frames of the clips; tables of positions are for this number", at_least(1))
      .add("crop", &O::crop, "side of the clips in pixels; tables of positions are for this size",
           at_least(1))
      .add("patch_kernel", &O::patch_kernel, "what a patch sees: frames, height, width", length(3),
           each(at_least(1)))
      .add("patch_stride", &O::patch_stride, "from one patch to the next: frames, height, width", length(3),
           each(at_least(1)))
      .add("patch_padding", &O::patch_padding, "zeros around the clip: frames, height, width", length(3),
           each(at_least(0)))
      .add("embed_dim", &O::embed_dim, "channels of the first stage; each stage doubles them", at_least(1))
      .add("depths", &O::depths, "blocks of each stage", each(at_least(1)))
      .add("heads", &O::heads, "attention heads of each stage", each(at_least(1)))
      .add("mlp_ratio", &O::mlp_ratio, "channels inside an MLP per channel of its input", between(0.01, 100))
      .add("pool_kernel", &O::pool_kernel,
           "of the pooling of queries, keys and values: frames, height, width", length(3), each(at_least(1)))
      .add("q_stride", &O::q_stride, "pooling of queries in the first block of each stage but the first",
           length(3), each(at_least(1)))
      .add("kv_stride", &O::kv_stride,
           "pooling of keys and values in the first stage; each stage divides it by q_stride", length(3),
           each(at_least(1)))
      .add("pool_every_query", &O::pool_every_query,
           "a pooling of stride 1 for the queries of all other blocks")
      .add("residual_pooling", &O::residual_pooling, "pooled queries are added to what they attend to")
      .add_enum("positions", &O::positions, "vectors of places, or of distances in every attention",
                {{"absolute", Positions::absolute}, {"relative", Positions::relative}})
      .add_enum("widening", &O::widening,
                "what widens the tokens: the last MLP of a stage, or the first attention of the next",
                {{"mlp", Widening::mlp}, {"attention", Widening::attention}})
      .add("stochastic_depth", &O::stochastic_depth,
           "probability that the last block leaves out a branch; 0 in the first, linear between",
           between(0, 1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("block_dropout", &O::block_dropout, "probability behind the linear layers of blocks",
           between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check(problems_of);
  return options;
}

std::shared_ptr<Model> make(const O& o, Context& context) { return make_network(o, context.num_classes()); }

Value list(std::initializer_list<int> numbers) { return Value(Value::Array(numbers.begin(), numbers.end())); }

Value version1(int frames, const Value& depths, double stochastic_depth) {
  return Value::table({{"frames", frames},
                       {"crop", 224},
                       {"embed_dim", 96},
                       {"depths", depths},
                       {"heads", list({1, 2, 4, 8})},
                       {"q_stride", list({1, 2, 2})},
                       {"kv_stride", list({1, 8, 8})},
                       {"positions", "absolute"},
                       {"widening", "mlp"},
                       {"stochastic_depth", stochastic_depth}});
}

Value version2(int frames, const Value& depths, double stochastic_depth) {
  Value options = version1(frames, depths, stochastic_depth);
  options.set("positions", "relative");
  options.set("widening", "attention");
  options.set("pool_every_query", true);
  options.set("residual_pooling", true);
  return options;
}

}  // namespace
}  // namespace kinema::mvit

KINEMA_PLUGIN("mvit", "1.0", "multiscale vision transformers") {
  using namespace kinema::mvit;
  const kinema::Value small = list({1, 2, 11, 2}), base = list({2, 3, 16, 3});
  registrar.add<kinema::Model>("mvit", "multiscale vision transformer: MViT, MViTv2", options(), make)
      .preset("mvit_v1_b_16x4", "MViT-B, for 16 frames 4 apart", version1(16, small, 0.2))
      .weights("mvit_v1_b-dbeb1030.pth", "torchvision, torchvision/models/video/mvit.py")
      .preset("mvit_v2_s_16x4", "MViTv2-S, for 16 frames 4 apart", version2(16, small, 0.2))
      .weights("mvit_v2_s-ae3be167.pth", "torchvision, torchvision/models/video/mvit.py")
      .preset("mvit_v2_b_32x3", "MViTv2-B, for 32 frames 3 apart", version2(32, base, 0.3))
      .weights("MViTv2_B_32x3_k400_f304025456.pyth", "pyslowfast, projects/mvitv2/README.md");
}
