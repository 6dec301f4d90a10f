#include "empty_dataset.h"

struct RangeOptions {
  int low = 5, high = 3;
};

KINEMA_PLUGIN("bad_whole", "1.0", "has defaults that do not go together") {
  registrar.add<kinema::Dataset>(
      "bad_whole", "refuses its defaults as a whole",
      kinema::Options<RangeOptions>()
          .add("low", &RangeOptions::low, "begin")
          .add("high", &RangeOptions::high, "end")
          .check([](const RangeOptions& o) {
            return o.low <= o.high ? std::vector<std::string>{}
                                   : std::vector<std::string>{"low is above high"};
          }),
      [](const RangeOptions&, kinema::Context&) { return std::make_shared<EmptyDataset>(); });
}
