#pragma once

#include <ATen/ops/arange.h>
#include <ATen/ops/full.h>

#include "framework/checkpoint/checkpoint.h"
#include "tests/support/scratch.h"

namespace kinema::checkpoint {

using test::error_of;
using test::Scratch;
using test::slurp;
using test::spit;

// A small checkpoint in which every tensor and counter tells its step.
inline CheckpointContents contents_at(std::int64_t step) {
  CheckpointContents contents;
  contents.model = {{"conv.weight", at::full({4, 3}, static_cast<double>(step))},
                    {"conv.bias", at::arange(5)}};
  contents.metadata = {{"classes", "[\"run\", \"jump\"]"}};
  contents.state = {{"optimizer.0.momentum", at::full({4, 3}, static_cast<double>(step) / 2)}};
  contents.values.set("step", Value(step));
  contents.step = step;
  contents.epoch = step / 10;
  contents.plugins = {{"resnet3d", "0.1"}};
  contents.config_hash = "abc";
  return contents;
}

}  // namespace kinema::checkpoint
