#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kinema/metric.h"

namespace kinema::eval {

struct ScoredLabel {
  std::int64_t label;
  std::int64_t ahead;  // classes that beat the label; 0: it is the prediction
};

// Each labelled sample's class and rank. A class is beaten by those with a higher score, and by those with an
// equal one and a lower number: ties have one outcome on every machine. With a NaN among its scores a sample
// has all other classes ahead. Throws Error(data) when spans and sizes disagree or a label is no class;
// `metric` is for the message.
std::vector<ScoredLabel> rank_labels(const ScoredSamples& samples, const std::string& metric);

}  // namespace kinema::eval
