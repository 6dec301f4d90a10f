#include "kinema/registrar.h"

namespace kinema {

Registrar::~Registrar() = default;

}  // namespace kinema
