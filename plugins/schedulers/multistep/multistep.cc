#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "kinema/plugin.h"
#include "kinema/scheduler.h"

namespace {

struct MultistepOptions {
  std::vector<double> milestones;
  double gamma = 0.1;
};

// torch's MultiStepLR: gamma to the power of the milestones behind; one that is listed twice counts twice.
class Multistep final : public kinema::Scheduler {
 public:
  explicit Multistep(const MultistepOptions& options) : options_(options) {}
  kinema::Factors factors(const kinema::Progress& progress) const override {
    int passed = 0;
    for (const double milestone : options_.milestones) passed += progress.epoch >= milestone;
    return {.lr = std::pow(options_.gamma, passed)};
  }

 private:
  MultistepOptions options_;
};

kinema::Options<MultistepOptions> options() {
  return kinema::Options<MultistepOptions>()
      .add("milestones", &MultistepOptions::milestones,
           "epochs, also fractional, at which the rate is multiplied", kinema::not_empty(),
           kinema::each(kinema::at_least(0)))
      .required()
      .add("gamma", &MultistepOptions::gamma, "what the rate is multiplied with at each milestone",
           kinema::at_least(0))
      .check([](const MultistepOptions& o) {
        std::vector<std::string> problems;
        if (!std::isfinite(std::pow(o.gamma, static_cast<double>(o.milestones.size()))))
          problems.push_back("gamma too large: expected a finite rate after all milestones, got gamma " +
                             kinema::Value(o.gamma).text());
        return problems;
      });
}

}  // namespace

KINEMA_PLUGIN("multistep", "1.0", "a learning rate that falls at given epochs") {
  registrar.add<kinema::Scheduler>(
      "multistep", "multiplies the learning rate by gamma at each milestone", options(),
      [](const MultistepOptions& o, kinema::Context&) { return std::make_shared<Multistep>(o); });
}
