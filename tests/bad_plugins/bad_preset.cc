#include "empty_dataset.h"

struct PresetOptions {
  std::string root;
  int depth = 10;
};

KINEMA_PLUGIN("bad_preset", "1.0", "has presets that its own checks refuse") {
  registrar
      .add<kinema::Dataset>(
          "bad_preset", "refuses its own presets",
          kinema::Options<PresetOptions>()
              .add("root", &PresetOptions::root, "folder")
              .required()
              .add("depth", &PresetOptions::depth, "layers", kinema::one_of(10, 18, 34)),
          [](const PresetOptions&, kinema::Context&) { return std::make_shared<EmptyDataset>(); })
      .preset("good", "without what is required", kinema::Value::table({{"depth", 18}}))
      .preset("bad", "out of range", kinema::Value::table({{"depth", 19}}))
      .preset("unknown", "no such key", kinema::Value::table({{"width", 2}}))
      .preset("good", "again", kinema::Value::table());
}
