#include "empty_dataset.h"

struct NameOptions {
  int first = 1, second = 2, third = 3, fourth = 4;
};

KINEMA_PLUGIN("bad_names", "1.0", "breaks the rules of names") {
  registrar.add<kinema::Dataset>(
      "Bad-Name", "is not snake_case",
      kinema::Options<NameOptions>()
          .add("UpperCase", &NameOptions::first, "bad")
          .add("twice", &NameOptions::second, "good")
          .add("twice", &NameOptions::third, "there already")
          .add("preset", &NameOptions::fourth, "the host's"),
      [](const NameOptions&, kinema::Context&) { return std::make_shared<EmptyDataset>(); });
}
