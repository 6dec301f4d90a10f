#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/export.h"
#include "kinema/model.h"

namespace kinema {

// Targets of one batch, on the output's device.
struct TargetBatch {
  at::Tensor labels;  // int64 [N], or undefined
  at::Tensor values;  // float [N, classes] soft or multi-hot ([R, classes] with boxes), or undefined
  at::Tensor weight;  // float [N]: each item's own weight
  std::map<std::string, at::Tensor> named;  // float [N]
};

struct LossValue {
  at::Tensor total;                // scalar: what backward() starts from; the mean over the batch
  std::vector<NamedTensor> parts;  // scalars for the log; may be empty
};

class KINEMA_API Loss : public Module {
 public:
  static constexpr std::string_view kKind = "loss";
  ~Loss() override;
  // [every rank] In float32 even under autocast.
  virtual LossValue operator()(const Output& output, const TargetBatch& target) = 0;
};

}  // namespace kinema
