#include <cmath>
#include <memory>
#include <numbers>

#include "../progress_fraction.h"
#include "kinema/plugin.h"

namespace {

struct CosineOptions {
  double end = 0;
  double begin_epoch = 0;
};

// Half a cosine from 1 to `end` over the steps of the run (Loshchilov and Hutter 2017, without restarts).
class Cosine final : public kinema::Scheduler {
 public:
  explicit Cosine(const CosineOptions& options) : options_(options) {}
  kinema::Factors factors(const kinema::Progress& progress) const override {
    const double done = progress_fraction(progress, options_.begin_epoch);
    return {.lr = options_.end + (1 - options_.end) * (1 + std::cos(std::numbers::pi * done)) / 2};
  }

 private:
  CosineOptions options_;
};

kinema::Options<CosineOptions> options() {
  return kinema::Options<CosineOptions>()
      .add("end", &CosineOptions::end, "share of the learning rate that is left at the end of the run",
           kinema::between(0, 1))
      .add("begin_epoch", &CosineOptions::begin_epoch,
           "epoch at which the descent begins; the length of the warm-up starts it from the full rate",
           kinema::at_least(0));
}

}  // namespace

KINEMA_PLUGIN("cosine", "1.0", "a learning rate that falls along half a cosine") {
  registrar.add<kinema::Scheduler>(
      "cosine", "lowers the learning rate along half a cosine, step by step", options(),
      [](const CosineOptions& o, kinema::Context&) { return std::make_shared<Cosine>(o); });
}
