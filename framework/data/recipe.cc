#include "framework/data/recipe.h"

#include <utility>

#include "framework/data/flip_labels.h"
#include "framework/data/shard_set.h"
#include "framework/data/shared_cache.h"
#include "kinema/error.h"
#include "kinema/random.h"

namespace kinema::data {
namespace {

void check_mirrors(const TransformList& transforms) {
  if (mirrors(transforms)) return;
  throw Error(ErrorKind::usage, "clip.train.flip_labels",
              "no effect: expected clips that are mirrored, got a list of transforms without a flip",
              "`~clip.train.flip_labels` on the command line removes the key");
}

void take_flow_scale(const config::ClipOptions& clip, ClipRecipe& recipe) {
  for (std::size_t c = 0; c < kFlowChannels; ++c) {
    recipe.flow_mean[c] = static_cast<float>(clip.flow_mean[c]);
    recipe.flow_std[c] = static_cast<float>(clip.flow_std[c]);
  }
}

// Where pixels come from besides the data set's own files.
void take_stores(const config::Experiment& experiment, const Dataset& dataset, ClipRecipe& recipe) {
  recipe.shards = shards_of(experiment);
  if (recipe.shards != nullptr) recipe.shards->check(dataset);
  recipe.cache = frame_cache(experiment.loader.cache);
}

}  // namespace

ClipRecipe train_recipe(const config::Experiment& experiment, std::shared_ptr<const Dataset> dataset,
                        const MakeTransform& make) {
  ClipRecipe recipe;
  recipe.temporal = temporal_rule(experiment.train_clip, true);
  recipe.transforms = build_transforms(experiment.train_clip, true, experiment.train_transforms, make);
  recipe.seed = experiment.seed;
  take_flow_scale(experiment.train_clip, recipe);
  const auto& flip_labels = experiment.train_clip.flip_labels;
  if (!flip_labels.empty()) {
    check_mirrors(recipe.transforms);
    recipe.mirrored = mirrored_classes(flip_labels, dataset->classes());
  }
  recipe.item_weights = experiment.loader.balance != config::Balance::by_weight;
  take_stores(experiment, *dataset, recipe);
  recipe.dataset = std::move(dataset);
  return recipe;
}

ClipRecipe eval_recipe(const config::Experiment& experiment, std::shared_ptr<const Dataset> dataset,
                       const MakeTransform& make) {
  ClipRecipe recipe;
  if (dataset != nullptr) take_stores(experiment, *dataset, recipe);
  recipe.dataset = std::move(dataset);
  recipe.temporal = temporal_rule(experiment.eval_clip, false);
  recipe.transforms = build_transforms(experiment.eval_clip, false, experiment.eval_transforms, make);
  recipe.training = false;
  recipe.spatial_views = experiment.eval_clip.spatial_crops;
  recipe.seed = experiment.seed;
  take_flow_scale(experiment.eval_clip, recipe);
  return recipe;
}

Size eval_size(const config::Experiment& experiment, const MakeTransform& make) {
  const ClipRecipe recipe = eval_recipe(experiment, nullptr, make);
  ClipPlan plan;
  plan.frames = {0};
  plan.frame_count = 1;
  plan.spatial_views = static_cast<int>(recipe.spatial_views);
  plan.geometry = Geometry::whole({340, 256});
  Random random(recipe.seed, 0, 0, "size");
  for (const auto& transform : recipe.transforms) transform->plan(plan, random);
  return plan.geometry.output;
}

std::int64_t views_per_item(const config::ClipOptions& eval_clip) {
  return eval_clip.temporal_views * eval_clip.spatial_crops;
}

}  // namespace kinema::data
