#include "empty_dataset.h"

struct Inner {
  double rate = 2;
};
struct DefaultOptions {
  int depth = 7;
  Inner inner;
};

KINEMA_PLUGIN("bad_default", "1.0", "has defaults that its own checks refuse") {
  const auto inner = kinema::Options<Inner>().add("rate", &Inner::rate, "a rate", kinema::between(0, 1));
  registrar.add<kinema::Dataset>(
      "bad_default", "refuses its own defaults",
      kinema::Options<DefaultOptions>()
          .add("depth", &DefaultOptions::depth, "layers", kinema::one_of(10, 18, 34))
          .add_table("inner", &DefaultOptions::inner, "more", inner),
      [](const DefaultOptions&, kinema::Context&) { return std::make_shared<EmptyDataset>(); });
}
