#include "empty_dataset.h"

KINEMA_PLUGIN("duplicate", "1.0", "takes a name that well_behaved has") {
  registrar.add<kinema::Dataset>("fresh_name", "must not come in alone", kinema::Options<kinema::NoOptions>(),
                                 make_empty);
  registrar.add<kinema::Dataset>("well_behaved", "is taken", kinema::Options<kinema::NoOptions>(),
                                 make_empty);
}
