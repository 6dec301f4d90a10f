#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

#include "kinema/error.h"
#include "kinema/layers.h"
#include "torch_init.h"

namespace kinema {
namespace {

const LinearOptions& checked(const LinearOptions& o) {
  if (o.in <= 0 || o.out <= 0)
    throw Error(ErrorKind::plugin, "Linear",
                "wrong size: expected in and out to be positive, got in " + std::to_string(o.in) + ", out " +
                    std::to_string(o.out));
  return o;
}

}  // namespace

Linear::Linear(const LinearOptions& options)
    : options_(checked(options)),
      weight_(parameter("weight", torch_init::weight(at::empty({options_.out, options_.in})))),
      bias_(parameter("bias", options_.bias ? torch_init::bias(options_.out, weight_) : at::Tensor())) {}

at::Tensor Linear::forward(const at::Tensor& x) { return at::linear(x, weight_, bias_); }

}  // namespace kinema
