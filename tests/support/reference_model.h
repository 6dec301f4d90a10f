#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "kinema/model.h"
#include "tests/support/golden.h"
#include "tests/support/reference.h"

// Comparison of a model with one reference file of tests/golden/models. Each function adds gtest failures.
namespace kinema::test {

// Names, order, shapes, element types and number of parameters.
void expect_same_state(Model& model, const nlohmann::json& file);
struct LogitsRule {
  std::string extra;              // compares this of Output::extra instead of the logits
  const KeyMap* names = nullptr;  // from the file's names to the model's
};
// Loads the weights of a case and compares logits in eval mode, in float32 and, where given, in double; and
// extra["probabilities"] where the case has them. A clip of two channels is flow.
void expect_same_logits(Model& model, const nlohmann::json& file, const nlohmann::json& one_case,
                        const LogitsRule& rule = {});
// Loss, gradients and running statistics of one pass in train mode, in double.
void expect_same_training(Model& model, const nlohmann::json& file, const nlohmann::json& one_case);

}  // namespace kinema::test
