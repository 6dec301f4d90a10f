#pragma once

#include "kinema/catalog.h"
#include "kinema/value.h"

namespace kinema::config {

// A checked table with every default filled in (origin "default"), in the order of the declarations; those of
// components too where a catalog knows them. Relative paths among the defaults become absolute.
Value with_defaults(const Value& checked, const OptionTable& table, const Catalog* catalog);

}  // namespace kinema::config
