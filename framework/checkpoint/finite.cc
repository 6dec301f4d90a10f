#include "framework/checkpoint/finite.h"

#include <cstdint>

namespace kinema::checkpoint {
namespace {

// All exponent bits set: NaN or infinity. On bits, so that no compiler flag can assume it away.
template <class Bits>
bool finite_bits(const at::Tensor& tensor, Bits exponent) {
  const auto* values = static_cast<const Bits*>(tensor.const_data_ptr());
  bool finite = true;
  for (std::int64_t i = 0; i < tensor.numel(); ++i) finite &= (values[i] & exponent) != exponent;
  return finite;
}

bool finite(const at::Tensor& tensor) {
  switch (tensor.scalar_type()) {
    case at::kDouble:
      return finite_bits<std::uint64_t>(tensor, 0x7ff0'0000'0000'0000);
    case at::kFloat:
      return finite_bits<std::uint32_t>(tensor, 0x7f80'0000);
    case at::kHalf:
      return finite_bits<std::uint16_t>(tensor, 0x7c00);
    case at::kBFloat16:
      return finite_bits<std::uint16_t>(tensor, 0x7f80);
    default:
      return true;
  }
}

}  // namespace

bool all_finite(const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& named : tensors)
    if (named.tensor.defined() && named.tensor.is_floating_point() &&
        !finite(named.tensor.detach().to(at::kCPU).contiguous()))
      return false;
  return true;
}

}  // namespace kinema::checkpoint
