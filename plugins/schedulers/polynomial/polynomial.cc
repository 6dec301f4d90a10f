#include <cmath>
#include <memory>

#include "../progress_fraction.h"
#include "kinema/plugin.h"

namespace {

struct PolynomialOptions {
  double power = 1;
  double end = 0;
};

// From 1 to `end` as (1 - done)^power over the steps of the run; with end 0 torch's PolynomialLR.
class Polynomial final : public kinema::Scheduler {
 public:
  explicit Polynomial(const PolynomialOptions& options) : options_(options) {}
  kinema::Factors factors(const kinema::Progress& progress) const override {
    const double left = 1 - progress_fraction(progress);
    return {.lr = options_.end + (1 - options_.end) * std::pow(left, options_.power)};
  }

 private:
  PolynomialOptions options_;
};

kinema::Options<PolynomialOptions> options() {
  return kinema::Options<PolynomialOptions>()
      .add("power", &PolynomialOptions::power, "1: a straight line; above 1 it falls faster at first",
           kinema::above(0))
      .add("end", &PolynomialOptions::end, "share of the learning rate that is left at the end of the run",
           kinema::between(0, 1));
}

}  // namespace

KINEMA_PLUGIN("polynomial", "1.0", "a learning rate that falls along a polynomial") {
  registrar.add<kinema::Scheduler>(
      "polynomial", "lowers the learning rate along a polynomial, step by step", options(),
      [](const PolynomialOptions& o, kinema::Context&) { return std::make_shared<Polynomial>(o); });
}
