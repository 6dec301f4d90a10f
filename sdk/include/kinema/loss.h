#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "kinema/export.h"
#include "kinema/model.h"

namespace kinema {

// Targets of one batch, on the output's device. A row is a clip, or a box where the batch has boxes; there is
// at least one.
struct TargetBatch {
  at::Tensor labels;                        // int64 [rows], or undefined; undefined with boxes
  at::Tensor values;                        // float [rows, classes] soft or multi-hot, or undefined
  at::Tensor weight;                        // float [rows]: each item's own weight
  std::map<std::string, at::Tensor> named;  // float [rows]
  const ClipBatch* clips = nullptr;         // what the model saw; borrowed for the call
};

struct LossValue {
  at::Tensor total;                // scalar: what backward() starts from; the mean over the rows
  std::vector<NamedTensor> parts;  // scalars for the log; may be empty
  // Scalar without gradient, at least 0: what the mean's sum was divided by. Undefined: the number of rows.
  // Batches are put together by it, total = sum(total x weight) / sum(weight), so that accumulated
  // micro-batches give exactly the gradient of one large batch, and an evaluation exactly the loss of all its
  // items. A loss whose mean does not count every row alike (class weights, item weights, clips without a
  // label) must say it; a loss that is no mean over the rows (pairs within a batch) has no exact answer.
  at::Tensor weight = {};
};

// Its parameters are trained with the model's, by the same optimizer and settings; parameters and buffers are
// saved with each checkpoint and must be there on resume. What follows from the options alone is a plain
// member, no buffer: a resumed run takes it from the experiment file.
class KINEMA_API Loss : public Module {
 public:
  static constexpr std::string_view kKind = "loss";
  ~Loss() override;
  // [every rank] In float32 even under autocast.
  virtual LossValue operator()(const Output& output, const TargetBatch& target) = 0;
};

}  // namespace kinema
