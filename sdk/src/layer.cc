#include "kinema/module.h"
#include "kinema/run_context.h"

namespace kinema {

at::Tensor Layer::operator()(const at::Tensor& x) {
  at::Tensor y = forward(x);
  if (RunContext::Tap* tap = run_context().tap) tap->ran(*this, {}, x, y);
  return y;
}

}  // namespace kinema
