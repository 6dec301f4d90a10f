#include "kinema/plugin.h"
#include "network.h"
#include "options.h"

namespace kinema::timesformer {
namespace {

using O = TimesformerOptions;

std::vector<std::string> problems(const O& o) {
  std::vector<std::string> wrong;
  if (o.crop < o.patch_size)
    wrong.push_back("wrong crop: expected at least patch_size = " + std::to_string(o.patch_size) + ", got " +
                    std::to_string(o.crop));
  if (o.embed_dim % o.heads != 0)
    wrong.push_back("wrong heads: expected a divisor of embed_dim = " + std::to_string(o.embed_dim) +
                    ", got " + std::to_string(o.heads));
  return wrong;
}

Options<O> options() {
  Options<O> options;
  options
      .add("frames", &O::frames,
           "frames that have a vector of time of their own; other numbers resize the table", at_least(1))
      .add("crop", &O::crop,
           "side of the clips in pixels whose patches have a vector of their own; other sizes resize "
           "the table",
           at_least(1))
      .add("patch_size", &O::patch_size, "side of a patch in pixels", at_least(1))
      .add("embed_dim", &O::embed_dim, "channels of a token", at_least(1))
      .add("depth", &O::depth, "number of blocks", at_least(1))
      .add("heads", &O::heads, "attention heads", at_least(1))
      .add("mlp_ratio", &O::mlp_ratio, "channels inside an MLP per channel of its input", between(0.01, 100))
      .add_enum(
          "attention", &O::attention,
          "what a token attends to: its place in all frames and then its frame, everything, its frame alone",
          {{"divided", Attention::divided}, {"joint", Attention::joint}, {"space", Attention::space}})
      .add("stochastic_depth", &O::stochastic_depth,
           "probability that the last block leaves out a branch; 0 in the first, linear between",
           between(0, 1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("block_dropout", &O::block_dropout, "probability behind the tables and the layers of blocks",
           between(0, 1))
      .add("attention_dropout", &O::attention_dropout, "probability of a weight of attention", between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check(problems);
  return options;
}

std::shared_ptr<Model> make(const O& o, Context& context) { return make_network(o, context.num_classes()); }

Value preset(int frames, int crop, const char* attention) {
  return Value::table({{"frames", frames}, {"crop", crop}, {"attention", attention}});
}

}  // namespace
}  // namespace kinema::timesformer

KINEMA_PLUGIN("timesformer", "1.0", "vision transformers with attention over space and time") {
  using namespace kinema::timesformer;
  const char* source = "TimeSformer, README.md";
  registrar
      .add<kinema::Model>("timesformer", "TimeSformer: attention over space and time, divided or joint",
                          options(), make)
      .preset("timesformer_b_8x32", "TimeSformer, for 8 frames 32 apart", preset(8, 224, "divided"))
      .weights("TimeSformer_divST_8x32_224_K400.pyth", source)
      .preset("timesformer_hr_16x16", "TimeSformer-HR, for 16 frames 16 apart of 448x448",
              preset(16, 448, "divided"))
      .weights("TimeSformer_divST_16x16_448_K400.pyth", source)
      .preset("timesformer_l_96x4", "TimeSformer-L, for 96 frames 4 apart", preset(96, 224, "divided"))
      .weights("TimeSformer_divST_96x4_224_K400.pyth", source)
      .preset("timesformer_joint_8x32", "one attention over space and time, for 8 frames 32 apart",
              preset(8, 224, "joint"))
      .preset("timesformer_space_8x32", "attention inside frames alone, for 8 frames 32 apart",
              preset(8, 224, "space"));
}
