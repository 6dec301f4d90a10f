#include "fusion.h"
#include "kinema/plugin.h"
#include "network.h"

namespace kinema::two_stream {
namespace {

struct TwoStreamOptions {
  Component<Model> rgb, flow;
  double rgb_weight = 1, flow_weight = 1;
  Fusion fusion = Fusion::logits;
  blocks::HeadActivation activation = blocks::HeadActivation::softmax;
};
using O = TwoStreamOptions;
using blocks::HeadActivation;

// A stream that says it reads the other one's clips.
std::vector<std::string> problems(const O& o) {
  std::vector<std::string> wrong;
  for (const auto& [name, stream] : {std::pair{"rgb", &o.rgb}, std::pair{"flow", &o.flow}}) {
    const Value* modality = stream->options.find("modality");
    if (modality && modality->is(Value::Type::string) && modality->as_string() != name)
      wrong.push_back("wrong modality of stream " + std::string(name) + ": expected \"" + name +
                      "\", got \"" + modality->as_string() + "\"");
  }
  return wrong;
}

Options<O> options() {
  return Options<O>()
      .add("rgb", &O::rgb, "the model that sees the pictures")
      .required()
      .add("flow", &O::flow, "the model that sees the optical flow; most need modality = \"flow\"")
      .required()
      .add("rgb_weight", &O::rgb_weight, "of the pictures in the fusion", above(0))
      .add("flow_weight", &O::flow_weight, "of the optical flow in the fusion", above(0))
      .add_enum("fusion", &O::fusion, "weighted sum of logits, or weighted mean of probabilities",
                {{"logits", Fusion::logits}, {"probabilities", Fusion::probabilities}})
      .add_enum("activation", &O::activation, "from logits to probabilities",
                {{"softmax", HeadActivation::softmax}, {"sigmoid", HeadActivation::sigmoid}})
      .check(problems);
}

std::shared_ptr<Model> make(const O& o, Context& context) {
  const FusionRule rule{.fusion = o.fusion,
                        .activation = o.activation,
                        .rgb_weight = o.rgb_weight,
                        .flow_weight = o.flow_weight};
  return make_two_stream(rule, context.make(o.rgb), context.make(o.flow));
}

}  // namespace
}  // namespace kinema::two_stream

KINEMA_PLUGIN("two_stream", "1.0", "two models, of pictures and of optical flow, fused late") {
  using namespace kinema::two_stream;
  registrar.add<kinema::Model>("two_stream", "two models, of pictures and of optical flow, fused late",
                               options(), make);
}
