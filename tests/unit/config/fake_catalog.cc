#include "tests/unit/config/fake_catalog.h"

#include "framework/config/experiment.h"

namespace kinema::config {
namespace {

struct Head {
  double dropout = 0.5;
};
struct Net {
  std::int64_t depth = 18;
  std::string shortcut = "B";
  std::vector<double> rates = {1, 2};
  Head head;
};
struct TwoStream {
  Component<ModelTag> rgb, flow;
};
struct Folder {
  std::filesystem::path root;
  std::string subset = "train";
  std::vector<std::string> exclude;
};
struct Concat {
  std::vector<Component<Dataset>> parts;
};
struct CrossEntropy {
  double label_smoothing = 0;
};
struct Sgd {
  double momentum = 0.9;
  bool nesterov = false;
};
struct EarlyStopping {
  std::string monitor = "val/top1";
  std::int64_t patience = 5;
};

OptionTable net_options() {
  return Options<Net>()
      .add("depth", &Net::depth, "number of layers", one_of(10, 18, 34, 50))
      .renamed_from("layers")
      .add("shortcut", &Net::shortcut, "kind of shortcut", one_of("A", "B"))
      .add("rates", &Net::rates, "of the pathways", length(2), each(above(0)))
      .add_table("head", &Net::head, "the classifier",
                 Options<Head>().add("dropout", &Head::dropout, "before the classifier", between(0, 1)))
      .table();
}

}  // namespace

FakeCatalog::FakeCatalog() {
  add("model", "resnet3d", net_options(),
      {{"resnet3d_50", "the deep one",
        Value::table({{"depth", 50}, {"head", Value::table({{"dropout", 0.2}})}})},
       {"resnet3d_10", "the small one", Value::table({{"depth", 10}})}});
  add("model", "two_stream",
      Options<TwoStream>()
          .add("rgb", &TwoStream::rgb, "of the pictures")
          .required()
          .add("flow", &TwoStream::flow, "of the motion")
          .required()
          .table());
  add("dataset", "folder",
      Options<Folder>()
          .add("root", &Folder::root, "folder with a folder per class")
          .required()
          .add("subset", &Folder::subset, "part of the videos", one_of("train", "test"))
          .add("exclude", &Folder::exclude, "globs")
          .table());
  add("dataset", "concat",
      Options<Concat>()
          .add("parts", &Concat::parts, "data sets one after the other", not_empty())
          .required()
          .table());
  add("loss", "cross_entropy",
      Options<CrossEntropy>()
          .add("label_smoothing", &CrossEntropy::label_smoothing, "share of the other classes", between(0, 1))
          .table());
  add("loss", "focal", Options<NoOptions>().table());
  add("optimizer", "sgd",
      Options<Sgd>()
          .add("momentum", &Sgd::momentum, "of the velocity", between(0, 1))
          .add("nesterov", &Sgd::nesterov, "look ahead")
          .table());
  add("scheduler", "cosine", Options<NoOptions>().table());
  add("callback", "early_stopping",
      Options<EarlyStopping>()
          .add("monitor", &EarlyStopping::monitor, "metric to watch")
          .add("patience", &EarlyStopping::patience, "evaluations without progress", at_least(1))
          .table());
  add("transform", "colour_jitter", Options<NoOptions>().table());
  add("transform", "normalise", Options<NoOptions>().table());
  add("metric", "calibration", Options<NoOptions>().table());
}

void FakeCatalog::add(std::string kind, std::string type, const OptionTable& options,
                      std::vector<Preset> presets) {
  infos_.push_back(std::make_unique<ComponentInfo>(
      ComponentInfo{std::move(kind), std::move(type), "for tests", "built in", options, std::move(presets)}));
}

const ComponentInfo* FakeCatalog::find(std::string_view kind, std::string_view type) const {
  for (const auto& info : infos_)
    if (info->kind == kind && info->type == type) return info.get();
  return nullptr;
}

std::vector<const ComponentInfo*> FakeCatalog::all(std::string_view kind) const {
  std::vector<const ComponentInfo*> list;
  for (const auto& info : infos_)
    if (info->kind == kind) list.push_back(info.get());
  return list;
}

}  // namespace kinema::config
