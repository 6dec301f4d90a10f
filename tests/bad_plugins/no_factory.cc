#include "empty_dataset.h"

KINEMA_PLUGIN("no_factory", "1.0", "forgets how to make its component") {
  registrar
      .add<kinema::Dataset>("no_factory", "cannot be made", kinema::Options<kinema::NoOptions>(), make_empty)
      .make = nullptr;
}
