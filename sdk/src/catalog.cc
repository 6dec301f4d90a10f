#include "kinema/catalog.h"

namespace kinema {

Catalog::~Catalog() = default;

}  // namespace kinema
