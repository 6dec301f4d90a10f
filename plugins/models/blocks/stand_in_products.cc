#include "blocks/stand_in_products.h"

#include <ATen/core/ivalue.h>

namespace kinema::blocks {
namespace {

bool announced(std::int64_t multiply_adds) {
  at::RecordFunction note(at::RecordScope::USER_SCOPE);
  const c10::IValue number(multiply_adds);
  if (note.isActive()) note.before("kinema::multiply_adds", c10::ArrayRef<const c10::IValue>(&number, 1));
  return false;
}

}  // namespace

StandInProducts::StandInProducts(std::int64_t multiply_adds) : unobserved_(announced(multiply_adds)) {}

}  // namespace kinema::blocks
