#include "kinema/plugin.h"
#include "network.h"
#include "options.h"

namespace kinema::video_swin {
namespace {

using O = VideoSwinOptions;

std::vector<std::string> problems(const O& o) {
  if (o.depths.empty()) return {"no stages: expected at least 1 number in depths, got none"};
  if (o.heads.size() != o.depths.size())
    return {"wrong number of stages in heads: expected " + std::to_string(o.depths.size()) +
            " as in depths, got " + std::to_string(o.heads.size())};
  std::vector<std::string> wrong;
  for (std::size_t s = 0; s < o.heads.size(); ++s)
    if ((o.embed_dim << s) % o.heads[s] != 0)
      wrong.push_back("wrong heads of stage " + std::to_string(s + 1) + ": expected a divisor of the " +
                      std::to_string(o.embed_dim << s) + " channels, got " + std::to_string(o.heads[s]));
  return wrong;
}

Options<O> options() {
  Options<O> options;
  options
      .add("patch_size", &O::patch_size, "frames, height and width of a patch", length(3), each(at_least(1)))
      .add("embed_dim", &O::embed_dim, "channels of the first stage; each stage doubles them", at_least(1))
      .add("depths", &O::depths, "blocks of each stage", each(at_least(1)))
      .add("heads", &O::heads, "attention heads of each stage", each(at_least(1)))
      .add("window", &O::window, "frames, rows and columns of tokens that attend to each other", length(3),
           each(at_least(1)))
      .add("mlp_ratio", &O::mlp_ratio, "channels inside an MLP per channel of its input", between(0.01, 100))
      .add("stochastic_depth", &O::stochastic_depth,
           "probability that the last block leaves out a branch; 0 in the first, linear between",
           between(0, 1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("block_dropout", &O::block_dropout, "probability behind the patches and the layers of blocks",
           between(0, 1))
      .add("attention_dropout", &O::attention_dropout, "probability of a weight of attention", between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"))
      .check(problems);
  return options;
}

std::shared_ptr<Model> make(const O& o, Context& context) { return make_network(o, context.num_classes()); }

Value preset(int embed_dim, int third_depth, int first_heads) {
  const auto list = [](std::initializer_list<int> numbers) {
    return Value(Value::Array(numbers.begin(), numbers.end()));
  };
  return Value::table({{"patch_size", list({2, 4, 4})},
                       {"embed_dim", embed_dim},
                       {"depths", list({2, 2, third_depth, 2})},
                       {"heads", list({first_heads, 2 * first_heads, 4 * first_heads, 8 * first_heads})},
                       {"window", list({8, 7, 7})},
                       {"stochastic_depth", 0.1}});
}

}  // namespace
}  // namespace kinema::video_swin

KINEMA_PLUGIN("video_swin", "1.0", "transformers with shifted windows over space and time") {
  using namespace kinema::video_swin;
  const char* source = "torchvision, torchvision/models/video/swin_transformer.py";
  registrar
      .add<kinema::Model>("video_swin", "Video Swin: attention in shifted windows of space and time",
                          options(), make)
      .preset("swin3d_t", "Video Swin-T, for 32 frames 2 apart", preset(96, 6, 3))
      .weights("swin3d_t-7615ae03.pth", source)
      .preset("swin3d_s", "Video Swin-S, for 32 frames 2 apart", preset(96, 18, 3))
      .weights("swin3d_s-da41c237.pth", source)
      .preset("swin3d_b", "Video Swin-B, for 32 frames 2 apart", preset(128, 18, 4))
      .weights("swin3d_b_1k-24f7c7c6.pth", source);
}
