#include <memory>

#include "kinema/plugin.h"
#include "kinema/scheduler.h"

namespace {

class Constant final : public kinema::Scheduler {
 public:
  kinema::Factors factors(const kinema::Progress&) const override { return {}; }
};

}  // namespace

KINEMA_PLUGIN("constant", "1.0", "the same learning rate throughout") {
  registrar.add<kinema::Scheduler>(
      "constant", "the same learning rate throughout", kinema::Options<kinema::NoOptions>(),
      [](const kinema::NoOptions&, kinema::Context&) { return std::make_shared<Constant>(); });
}
