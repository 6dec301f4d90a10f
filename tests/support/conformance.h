#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "kinema/model.h"

// What every model plugin has to keep, whatever its architecture.
namespace kinema::test {

struct Conformance {
  std::function<std::shared_ptr<Model>()> make;  // dropout and other random parts at 0; at least 4 classes
  std::vector<std::int64_t> clip;                // [frames, height, width] that it takes
  std::vector<std::string> modalities = {"rgb"};
  bool boxes = false;
  // Endings of parameters that mathematics gives no gradient.
  std::set<std::string> no_gradient = {};
};

// Adds a gtest failure for each rule that is broken: every parameter gets a finite gradient; eval mode is
// deterministic; a batch of one runs in train and eval mode; another size of clip runs or is refused with an
// Error that says what is expected; a tiny one as well; the state goes to another model and back;
// channels-last memory and float64 give the same; maps of HasFeatures have the channels that it says, without
// the head as well.
void expect_conformance(const Conformance& subject);

}  // namespace kinema::test
