#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "framework/config/experiment.h"
#include "framework/data/batch.h"
#include "kinema/loss.h"
#include "kinema/random.h"

// Batches whose clips are mixed with one another: each with the one at the same place of the reversed batch.
namespace kinema::train {

// What a batch is mixed with. The share of the own clip is `lambda`; with a window the partner's part is cut
// into it (CutMix: Yun et al. 2019), without one both are added (mixup: Zhang et al. 2018).
struct Mix {
  double lambda = 1;
  std::optional<std::array<std::int64_t, 4>> window;  // rows y1 to y2, columns x1 to x2, ends excluded
};

// Draws for clips of a size: nothing for the batches that are left as they are.
std::optional<Mix> draw_mix(const config::MixOptions& options, Size size, Random& random);
// The window around a centre that takes 1 - lambda of the picture, cut off at its sides, and the share that
// is left.
Mix cut_window(double lambda, Size size, std::int64_t y, std::int64_t x);

// Clips [N, C, T, H, W] of every modality, into new tensors. Throws Error(usage) for clips with boxes.
void mix_clips(ClipBatch& clips, const Mix& mix);
// Labels or values become mixed values [N, classes]; a negative label is a row of zeros.
void mix_targets(TargetBatch& targets, std::int64_t classes, const Mix& mix);

// A draw of Beta(alpha, alpha).
double draw_beta(double alpha, Random& random);

}  // namespace kinema::train
