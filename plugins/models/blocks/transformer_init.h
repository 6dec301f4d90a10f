#pragma once

#include <cstdint>

#include "kinema/module.h"

namespace kinema::blocks {

// Deviation of a transformer's linear layers, tokens and tables of positions when training begins.
inline constexpr double kTokenStd = 0.02;

// Initialises a transformer as timm and torchvision do: linear layers truncated normal with std 0.02 and bias
// 0; layer norms stay at 1 and 0, convolutions as they are.
void init_transformer(Module& network);

// A table of tokens or positions, truncated normal with std 0.02.
at::Tensor token_table(at::IntArrayRef shape);

// Probability that block `number` of `count` leaves its branches out: from 0 in the first to `last` in the
// last.
double stochastic_depth_of(double last, std::int64_t number, std::int64_t count);

}  // namespace kinema::blocks
