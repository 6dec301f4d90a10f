#include "kinema/plugin.h"

struct Gadget {
  static constexpr std::string_view kKind = "gadget";
};

KINEMA_PLUGIN("unknown_kind", "1.0", "offers something that the host does not know") {
  registrar.add<Gadget>(
      "spinner", "turns", kinema::Options<kinema::NoOptions>(),
      [](const kinema::NoOptions&, kinema::Context&) { return std::make_shared<Gadget>(); });
}
