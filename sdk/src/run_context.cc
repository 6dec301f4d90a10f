#include "kinema/run_context.h"

namespace kinema {
namespace {

const RunContext kDefault;
thread_local const RunContext* current = &kDefault;

}  // namespace

const RunContext& run_context() { return *current; }

RunContextScope::RunContextScope(const RunContext& context) : previous_(current) { current = &context; }
RunContextScope::~RunContextScope() { current = previous_; }

at::Tensor block(const Module& module, std::string_view name,
                 const std::function<at::Tensor(const at::Tensor&)>& body, const at::Tensor& x) {
  const RunContext& context = run_context();
  at::Tensor y = context.block_runner ? context.block_runner->run(body, x) : body(x);
  if (context.tap) context.tap->ran(module, name, x, y);
  return y;
}

}  // namespace kinema
