#include "densenet.h"
#include "kinema/plugin.h"

namespace kinema::densenet3d {
namespace {

using O = Densenet3dOptions;

Options<O> options() {
  return Options<O>()
      .add("depth", &O::depth, "number of layers", one_of(121, 169, 201, 264))
      .add("blocks", &O::blocks, "layers of each dense block, instead of those of depth", each(at_least(1)))
      .add("width", &O::width, "channels of the first layer", at_least(1))
      .add("growth", &O::growth, "channels that each layer adds", at_least(1))
      .add("bottleneck", &O::bottleneck,
           "channels between a layer's two convolutions, in multiples of growth", at_least(1))
      .add("stem_frames", &O::stem_frames, "frames of the first convolution's kernel", at_least(1))
      .add("stem_stride", &O::stem_stride, "stride of the first convolution in time", at_least(1))
      .add("no_max_pool", &O::no_max_pool,
           "leave out the pool after the first layer, which halves frames, height and width")
      .add("layer_dropout", &O::layer_dropout, "probability on what each layer adds", between(0, 1))
      .add("dropout", &O::dropout, "probability before the classifier", between(0, 1))
      .add("modality", &O::modality, "which clip of the batch it reads", one_of("rgb", "flow"));
}

std::shared_ptr<Model> make(const O& o, Context& context) { return make_densenet(o, context.num_classes()); }

}  // namespace
}  // namespace kinema::densenet3d

KINEMA_PLUGIN("densenet3d", "1.0", "3D densely connected networks") {
  using namespace kinema::densenet3d;
  kinema::Registration& model = registrar.add<kinema::Model>(
      "densenet3d", "3D densely connected networks of 3D-ResNets-PyTorch", options(), make);
  for (const int depth : {121, 169, 201, 264})
    model.preset("densenet3d_" + std::to_string(depth),
                 std::to_string(depth) + " layers, for 16 frames of 112x112",
                 kinema::Value::table({{"depth", depth}}));
}
