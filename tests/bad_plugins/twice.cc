#include "empty_dataset.h"

KINEMA_PLUGIN("twice", "1.0", "registers a name twice") {
  for (int i = 0; i < 2; ++i)
    registrar.add<kinema::Dataset>("twice", "comes again", kinema::Options<kinema::NoOptions>(), make_empty);
}
