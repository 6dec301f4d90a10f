#include <algorithm>
#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "kinema/plugin.h"
#include "kinema/scheduler.h"

namespace {

enum class Anneal { cosine, linear };

struct OneCycleOptions {
  double pct_start = 0.3;
  double div_factor = 25;
  double final_div_factor = 1e4;
  Anneal anneal = Anneal::cosine;
  bool cycle_momentum = true;
  double base_momentum = 0.85;
  double max_momentum = 0.95;
};

double between_ends(Anneal anneal, double from, double to, double done) {
  if (anneal == Anneal::linear) return from + (to - from) * done;
  return to + (from - to) / 2 * (1 + std::cos(std::numbers::pi * done));
}

// torch's OneCycleLR with two phases (Smith and Topin 2018); the optimizer's learning rate is max_lr, its
// momentum is max_momentum.
class OneCycle final : public kinema::Scheduler {
 public:
  explicit OneCycle(const OneCycleOptions& options) : options_(options) {}

  kinema::Factors factors(const kinema::Progress& progress) const override {
    const double last = static_cast<double>(progress.total_steps) - 1;
    const double step = std::clamp(static_cast<double>(progress.step), 0.0, std::max(last, 0.0));
    const double top = options_.pct_start * static_cast<double>(progress.total_steps) - 1;
    const double start = 1 / options_.div_factor;
    const double end = start / options_.final_div_factor;
    const double low = options_.cycle_momentum ? options_.base_momentum / options_.max_momentum : 1;
    if (step <= top) {
      const double done = top > 0 ? step / top : 1;
      return {between_ends(options_.anneal, start, 1, done), between_ends(options_.anneal, 1, low, done)};
    }
    const double done = last > top ? std::min((step - top) / (last - top), 1.0) : 1;
    return {between_ends(options_.anneal, 1, end, done), between_ends(options_.anneal, low, 1, done)};
  }

 private:
  OneCycleOptions options_;
};

kinema::Options<OneCycleOptions> options() {
  using O = OneCycleOptions;
  return kinema::Options<O>()
      .add("pct_start", &O::pct_start, "share of the run in which the rate rises", kinema::between(0, 1))
      .add("div_factor", &O::div_factor, "the rate begins at lr / div_factor", kinema::at_least(1))
      .add("final_div_factor", &O::final_div_factor, "the rate ends at lr / div_factor / final_div_factor",
           kinema::at_least(1))
      .add_enum("anneal", &O::anneal, "the shape of rise and fall",
                {{"cosine", Anneal::cosine}, {"linear", Anneal::linear}})
      .add("cycle_momentum", &O::cycle_momentum,
           "momentum falls while the rate rises, from the optimizer's own to base_momentum / max_momentum of "
           "it")
      .add("base_momentum", &O::base_momentum, "momentum at the highest rate", kinema::between(0, 1))
      .add("max_momentum", &O::max_momentum,
           "momentum at both ends; stands for the optimizer's own, so set that to the same", kinema::above(0),
           kinema::at_most(1))
      .check([](const O& o) {
        std::vector<std::string> problems;
        if (o.base_momentum > o.max_momentum)
          problems.push_back("base_momentum too large: expected at most max_momentum (" +
                             kinema::Value(o.max_momentum).text() + "), got " +
                             kinema::Value(o.base_momentum).text());
        return problems;
      });
}

}  // namespace

KINEMA_PLUGIN("onecycle", "1.0", "a learning rate that rises once and falls once") {
  registrar.add<kinema::Scheduler>(
      "onecycle", "raises the learning rate to lr and lowers it far below where it began", options(),
      [](const OneCycleOptions& o, kinema::Context&) { return std::make_shared<OneCycle>(o); });
}
