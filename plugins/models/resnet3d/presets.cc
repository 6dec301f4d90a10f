#include "presets.h"

#include <map>
#include <string>

namespace kinema::resnet3d {
namespace {

Value torchvision(const char* block, const char* stem, int depth) {
  return Value::table({{"layout", "torchvision"}, {"block", block}, {"stem", stem}, {"depth", depth}});
}

Value hara(const char* block, int depth) {
  return Value::table({{"layout", "hara"}, {"block", block}, {"depth", depth}});
}

Value widened(Value options) {
  options.set("width", 128);
  return options;
}

}  // namespace

void add_torchvision_presets(Registration& model) {
  const char* from = "torchvision, torchvision/models/video/resnet.py";
  for (const int depth : {10, 18, 34}) {
    const std::string layers = std::to_string(depth);
    const bool published = depth == 18;
    model.preset("r3d_" + layers, layers + " layers of 3x3x3 convolutions",
                 torchvision("basic3d", "basic", depth));
    if (published) model.weights("r3d_18-b3b3357e.pth", from);
    model.preset("mc3_" + layers, layers + " layers, 3x3x3 in the first stage and 1x3x3 after it",
                 torchvision("mixed", "basic", depth));
    if (published) model.weights("mc3_18-a90a0ba3.pth", from);
    model.preset("r2plus1d_" + layers, layers + " layers of 1x3x3 and 3x1x1 convolutions",
                 torchvision("2plus1d", "r2plus1d", depth));
    if (published) model.weights("r2plus1d_18-91a641e6.pth", from);
  }
}

void add_hara_presets(Registration& model) {
  const std::map<int, const char*> published = {{18, "r3d18_K_200ep.pth"},   {34, "r3d34_K_200ep.pth"},
                                                {50, "r3d50_K_200ep.pth"},   {101, "r3d101_K_200ep.pth"},
                                                {152, "r3d152_K_200ep.pth"}, {200, "r3d200_K_200ep.pth"}};
  const auto named = [](const char* family, int depth) { return family + std::to_string(depth); };
  for (const int depth : {10, 18, 34, 50, 101, 152, 200}) {
    model.preset(
        named("resnet3d_", depth),
        std::to_string(depth) + (depth < 50 ? " layers of 3x3x3 convolutions, frames pooled early"
                                            : " layers in bottlenecks of 3x3x3, frames pooled early"),
        hara("basic3d", depth));
    if (published.contains(depth))
      model.weights(published.at(depth), "kenshohara/3D-ResNets-PyTorch, README.md");
  }
  for (const int depth : {18, 34, 50})
    model.preset(named("resnet2p1d_", depth),
                 named("resnet3d_", depth) + " with 1x3x3 and 3x1x1 convolutions", hara("2plus1d", depth));
  for (const int depth : {18, 50, 200})
    model.preset(named("preresnet3d_", depth),
                 named("resnet3d_", depth) + " with batch norm and ReLU before each convolution",
                 hara("preact", depth));
  model.preset("wideresnet3d_50_k2", "resnet3d_50 with twice as many channels between 1x1x1 convolutions",
               widened(hara("wide", 50)));
  for (const int depth : {50, 101})
    model.preset(named("resnext3d_", depth),
                 named("resnet3d_", depth) + " with 3x3x3 convolutions in 32 groups",
                 widened(hara("resnext", depth)));
}

}  // namespace kinema::resnet3d
