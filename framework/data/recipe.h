#pragma once

#include <cstdint>
#include <memory>

#include "framework/config/experiment.h"
#include "framework/data/clip_source.h"
#include "framework/data/transform_list.h"

namespace kinema::data {

// How the clips of [clip.train] are made: sampling, augmentation, normalisation.
ClipRecipe train_recipe(const config::Experiment& experiment, std::shared_ptr<const Dataset> dataset,
                        const MakeTransform& make);

// How the clips of [clip.eval] are made: evaluation, predict, and training that is to overfit.
ClipRecipe eval_recipe(const config::Experiment& experiment, std::shared_ptr<const Dataset> dataset,
                       const MakeTransform& make);

// What the model sees of a picture of 340 x 256 pixels: the size of evaluation's clips, where these have one.
Size eval_size(const config::Experiment& experiment, const MakeTransform& make);

// Clips that an evaluation takes of each item.
std::int64_t views_per_item(const config::ClipOptions& eval_clip);

}  // namespace kinema::data
